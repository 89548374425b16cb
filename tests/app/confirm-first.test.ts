import { randomBytes } from 'node:crypto'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { MongoClient } from 'mongodb'
import type { Page } from 'playwright-core'
import { type Guest, joinFamily, send } from '../_family.ts'
import { callTool, mintKey } from '../outgoing-mail/_approval.ts'
import { openScenes, openWith, type Sink, signIn, type Visitor } from './_app.ts'
import { awaitMails, mailsAbout, textOf } from './_assistants.ts'

const { test, onScreen } = openScenes(() => joinFamily('standard'))

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const CONFIRMATION = /^Your confirmation code$/

/** Signs in, eleven minutes ago. */
async function signInBefore(f: Guest, sink: Sink, email: string): Promise<Visitor> {
  const visitor = await signIn(f, sink, email)
  const mongo = await new MongoClient(f.stack.databaseUri('auth')).connect()
  const before = new Date(Date.now() - 11 * 60_000)
  await mongo
    .db()
    .collection('sessions')
    .updateMany({ email }, { $set: { createdAt: before }, $unset: { verifiedAt: 1 } })
  await mongo.close()
  return visitor
}

async function codeTo(sink: Sink, email: string, count: number): Promise<string> {
  const mail = (await awaitMails(sink, email, CONFIRMATION, count)).at(-1)
  return /\b(\d{4} \d{4})\b/.exec(textOf(mail))?.[1] ?? ''
}

async function confirm(visitor: Visitor, sink: Sink, email: string): Promise<string> {
  const seen = mailsAbout(sink, email, CONFIRMATION).length
  await visitor.submit('/confirm/mail', {})
  const answer = await visitor.submit('/confirm/code', { code: await codeTo(sink, email, seen + 1) })
  return String(answer.headers.location)
}

async function confirmOnScreen(page: Page, sink: Sink, email: string): Promise<void> {
  const seen = mailsAbout(sink, email, CONFIRMATION).length
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Code').fill(await codeTo(sink, email, seen + 1))
  await page.getByRole('button', { name: 'Confirm' }).click()
}

onScreen('on my phone, an app is connected after one more page, and “with approval” is chosen', async (t) => {
  const { f, sink, browser } = t.context
  const { owner } = f.family.people
  const { cookie } = await signInBefore(f, sink, owner)
  const registration = { client_name: 'Claude', redirect_uris: [`${f.stack.inboxUrl}/nowhere`] }
  const { json } = await send(`${f.stack.inboxUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...registration, token_endpoint_auth_method: 'none' }),
  })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: json.client_id,
    redirect_uri: registration.redirect_uris[0] ?? '',
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  })
  await using context = await openWith(f, browser, cookie, PHONE)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/oauth/authorize?${query}`)
  t.is(await page.locator('h1').textContent(), 'Confirm it’s you')
  t.is(await page.getByRole('button', { name: 'Don’t connect the app' }).count(), 1)
  const isWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  t.false(await isWide())
  await confirmOnScreen(page, sink, owner)
  t.is(await page.locator('h1').textContent(), 'Connect Claude?')
  t.true(await page.getByLabel(/Write, with approval/).isChecked())
  t.false(await isWide())
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(/\/nowhere\?code=/)
  const [mail] = await awaitMails(sink, owner, /^Claude was connected$/)
  t.regex(textOf(mail), /settings\/connected-apps\//)
  await page.goto(`${f.stack.inboxUrl}/settings/tool-keys`)
  t.true(await page.getByLabel(/Write, with approval/).isChecked())
})

test('a new calendar address asks me to confirm, and its person and the owner get a mail about it', async (t) => {
  const { f, sink } = t.context
  const { owner, viewer } = f.family.people
  const visitor = await signInBefore(f, sink, viewer)
  const form = { request: randomText(12), for: '', details: 'no' }
  t.is((await visitor.submit('/appointments/feeds', form)).headers.location, '/confirm')
  t.is(await confirm(visitor, sink, viewer), '/appointments/feeds')
  t.regex((await visitor.get('/appointments/feeds')).text, /value="no" checked/)
  const made = await visitor.submit('/appointments/feeds', form)
  const address = /\/calendar\/[0-9a-z]{32}/.exec((await visitor.get(String(made.headers.location))).text)?.[0]
  t.truthy(address)
  const [own] = await awaitMails(sink, viewer, /^You created a calendar address$/)
  t.regex(textOf(own), /revoke the address now/)
  const [owners] = await awaitMails(sink, owner, / created a calendar address$/)
  t.false(`${textOf(own)}${textOf(owners)}`.includes(address ?? '?'))
  t.is(mailsAbout(sink, f.family.people.coordinator, /calendar address/).length, 0)
})

test('letting assistants read notes asks me to confirm; stopping that does not', async (t) => {
  const { f, sink } = t.context
  const { owner } = f.family.people
  const visitor = await signInBefore(f, sink, owner)
  t.is((await visitor.submit('/settings/notes', { allowed: '1' })).headers.location, '/confirm')
  t.is(await confirm(visitor, sink, owner), '/settings/assistants')
  t.regex((await visitor.get('/settings/assistants')).text, /name="allowed" value="1" checked/)
  t.is((await visitor.submit('/settings/notes', { allowed: '1' })).headers.location, '/settings/assistants')
  const again = await signInBefore(f, sink, owner)
  t.is((await again.submit('/settings/notes', {})).headers.location, '/settings/assistants')
})

test('inviting a coordinator asks me to confirm and keeps what I typed; inviting a viewer does not', async (t) => {
  const { f, sink } = t.context
  const { coordinator } = f.family.people
  const visitor = await signInBefore(f, sink, coordinator)
  const note = 'We would love to have you with us. '.repeat(14).trim()
  const typed = { email: `${randomText(12)}@guest.example`, relationship: 'niece', message: note, idempotency_key: 'a' }
  t.is((await visitor.submit('/care-circle/invite', { ...typed, role: 'coordinator' })).headers.location, '/confirm')
  t.is(await confirm(visitor, sink, coordinator), '/care-circle/invite')
  const { text } = await visitor.get('/care-circle/invite')
  for (const part of [`value="${typed.email}"`, 'value="niece"', note]) t.true(text.includes(part), part)
  const sent = await visitor.submit('/care-circle/invite', { ...typed, role: 'coordinator' })
  t.is(sent.headers.location, '/care-circle/invited')
  const again = await signInBefore(f, sink, coordinator)
  const viewer = { ...typed, email: `${randomText(12)}@guest.example`, role: 'viewer', idempotency_key: 'b' }
  t.is((await again.submit('/care-circle/invite', viewer)).headers.location, '/care-circle/invited')
})

test('approving an assistant’s invitation of a coordinator asks me to confirm; declining it does not', async (t) => {
  const { f, sink } = t.context
  const { owner } = f.family.people
  const key = await mintKey(await signIn(f, sink, owner), 'approval')
  const propose = async () => {
    const asked = { email: `${randomText(12)}@guest.example`, role: 'coordinator' }
    const { data } = await callTool(f, key, 'invite_family_member', asked)
    return `/approvals/invitations/${data.proposalId}`
  }
  const [first, second] = [await propose(), await propose()]
  const visitor = await signInBefore(f, sink, owner)
  t.is((await visitor.submit(second, { decision: 'decline' })).headers.location, '/approvals')
  const answer = { decision: 'send', message: 'Welcome to us' }
  t.is((await visitor.submit(first, answer)).headers.location, '/confirm')
  t.is(await confirm(visitor, sink, owner), first)
  t.true((await visitor.get(first)).text.includes('Welcome to us'))
  t.is((await visitor.submit(first, answer)).headers.location, '/care-circle')
})

import type { Stack } from '@family-inbox/local-stack/run-stack'
import anyTest, { type TestFn } from 'ava'
import { hashRecoveryCode } from '../../services/auth/src/passkeys/recovery-code.ts'
import { openDatabase } from '../_database.ts'
import { send } from '../_family.ts'
import type { SunkMail } from '../_mail-sink.ts'
import { statusOf } from '../_outcome.ts'
import { codesTo, nextCode, signIn, Visitor } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { openWith } from '../app/_app.ts'
import { addAuthenticator, addPasskey } from '../auth/_authenticator.ts'
import { invitationFor } from '../care-circle/_circle.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { type BehindDoor, newAddress, startBehindDoor } from './_behind-door.ts'

const test = anyTest.serial as TestFn<{ invited: BehindDoor; closed: BehindDoor }>

const onScreen = findChromium() === undefined ? test.skip : test

const RECOVERY_CODE = 'abcd-efgh-jkmn-pqrs'

test.before(async (t) => {
  const [invited, closed] = await Promise.all([
    startBehindDoor({ SIGN_UP: 'invited' }),
    startBehindDoor({ SIGN_UP: 'closed', SANDBOX: 'off', PUBLIC_SITE: 'off' }),
  ])
  t.context = { invited, closed }
})
test.after.always(async (t) => {
  await t.context.invited?.[Symbol.asyncDispose]()
  await t.context.closed?.[Symbol.asyncDispose]()
})

/** What the pages of a sign-in show, without the address in them. */
async function askForCode({ visitor, email }: { visitor: Visitor; email: string }) {
  const { status, headers } = await visitor.insist('/sign-in', { email, return_to: '/' })
  const page = await visitor.get('/sign-in/code')
  const wrong = await visitor.submit('/sign-in/code', { code: '00000000' })
  const show = (text: string) => text.replaceAll(email, 'ADDRESS')
  return {
    status,
    location: headers.location,
    cookies: headers['set-cookie']?.map((cookie) => cookie.split('=')[0]),
    page: show(page.text),
    wrong: [wrong.status, show(wrong.text)],
  }
}

function codeIn(mail: SunkMail | undefined): string {
  return /\b\d{4} \d{4}\b/.exec(mail?.raw ?? '')?.[0] ?? ''
}

async function memberOf({ stack }: { stack: Pick<Stack, 'databaseUri'> }, email: string) {
  const mongo = await openDatabase(stack as Stack, 'care-circle')
  const member = await mongo.db().collection('members').findOne({ email })
  await mongo.close()
  return member as unknown as { personId: string; workspaceId: string }
}

test('while people join by invitation, a stranger’s sign-in looks like a member’s', async (t) => {
  const { invited: f } = t.context
  const stranger = { visitor: new Visitor(f), email: newAddress() }
  const member = { visitor: new Visitor(f), email: f.family.people.viewer }
  t.deepEqual(await askForCode(stranger), await askForCode(member))
})

test('only the stranger’s own mail says that the address can’t sign in, and it has no code', async (t) => {
  const { invited: f } = t.context
  const email = newAddress()
  const visitor = new Visitor(f)
  await visitor.submit('/sign-in', { email, return_to: '/' })
  const [mail] = await f.sink.waitFor(email)
  t.regex(mail?.raw ?? '', /join by invitation/)
  t.notRegex(mail?.raw ?? '', /\b\d{4} ?\d{4}\b/)
  t.is(codesTo(f.sink, email).length, 0)
  await using mongo = await openAuth(f)
  t.is(await mongo.collection('people').countDocuments({ email }), 0, 'and has no account')
})

type Row = { _id: string; [field: string]: unknown }

async function openAuth({ stack }: BehindDoor) {
  const mongo = await openDatabase(stack, 'auth')
  return Object.assign(mongo.db(), { [Symbol.asyncDispose]: () => mongo.close() })
}

test('the pages offer no new account, but a way in for those who were invited', async (t) => {
  const { stack, family, sink } = t.context.invited
  const signInPage = (await new Visitor(t.context.invited).get('/sign-in')).text
  t.regex(signInPage, /New people join by invitation/)
  t.notRegex(signInPage, /Your email is all you need/)
  const home = await (await fetch(`${stack.baseUrl}/`)).text()
  t.notRegex(home, /Start a family inbox/)
  t.regex(home, /takes new people by invitation/)
  t.notRegex(await (await fetch(`${stack.baseUrl}/getting-started`)).text(), /Create your family’s inbox<\/h2>/)
  const member = await signIn(t.context.invited, sink, family.people.coordinator)
  t.is((await member.get('/welcome')).status, 200, 'a member may create another family')
})

test('nobody creates a family past the pages who is in none, and claims no sandbox either', async (t) => {
  const { careCircle, principal, family } = t.context.invited
  const words = { name: 'Strangers', ownerName: 'Eve', relationship: '' }
  t.is(await statusOf(careCircle.createWorkspace(words, { token: await principal({}) })), 'PERMISSION_DENIED')
  const { personId } = await memberOf(t.context.invited, family.people.coordinator)
  const known = await principal({ personId, email: family.people.coordinator })
  t.is(await statusOf(careCircle.createWorkspace(words, { token: known })), 'OK')
  const claim = { name: 'Strangers', ownerName: 'Eve', relationship: '', invitedEmails: [], workspaceId: 'ws_none' }
  const asSandbox = async (email: string, id?: string) =>
    statusOf(
      t.context.invited.careCircleAsSandbox.claimSandboxWorkspace({
        ...claim,
        clientAddress: '',
        principal: await principal({ email, ...(id && { personId: id }) }),
      }),
    )
  t.is(await asSandbox(newAddress()), 'PERMISSION_DENIED')
  t.is(await asSandbox(family.people.coordinator, personId), 'NOT_FOUND', 'a member only finds no such sandbox')
})

test('somebody a family invited signs in, joins, and comes back', async (t) => {
  const { invited: f } = t.context
  const { sink, family } = f
  const email = newAddress()
  const owner = await signIn(f, sink, family.people.owner)
  await owner.submit('/care-circle/invite', { email, role: 'viewer', relationship: '', message: '' })
  const [invitation] = await sink.waitFor(email)
  const path = /\/invitation\/[\w-]+/.exec((invitation?.raw ?? '').replaceAll('=\r\n', ''))?.[0] ?? ''
  const guest = new Visitor(f)
  t.is((await guest.submit('/sign-in/invitation', { token: path.split('/').at(-1) ?? '' })).status, 303)
  const code = codeIn(await nextCode(sink, email, 0))
  t.is((await guest.submit('/sign-in/code', { code })).headers.location, path)
  t.is((await guest.submit(path, { name: 'Rui' })).status, 303)
  t.is((await (await signIn(f, sink, email)).get('/')).status, 200)
})

test('a person who left their family gets no code, and an earlier one is refused', async (t) => {
  const { invited: f } = t.context
  const { viewer } = (await f.another({ others: ['viewer'] })).people
  const visitor = await signIn(f, f.sink, viewer)
  const late = new Visitor(f)
  await late.submit('/sign-in', { email: viewer, return_to: '/' })
  const code = codeIn(await nextCode(f.sink, viewer, 1))
  const { personId, workspaceId } = await memberOf(f, viewer)
  const token = await f.principal({ personId, workspaceId, email: viewer })
  await f.careCircle.removeMember({ personId }, { token })
  const refused = await late.submit('/sign-in/code', { code })
  t.is(refused.status, 422)
  t.regex(refused.text, /not in a family here/)
  t.is((await visitor.get('/welcome')).status, 403, 'a browser that is signed in sees why')
  await late.submit('/sign-in', { email: viewer, return_to: '/' })
  const isRefusal = ({ to, raw }: SunkMail) => to.includes(viewer) && /join by invitation/.test(raw)
  t.true(await becomesTrue(async () => f.sink.mails.some(isRefusal)))
  t.is(codesTo(f.sink, viewer).length, 2)
})

test('a recovery code signs in nobody without a family, in the same words as a wrong one, and stays', async (t) => {
  const { invited: f } = t.context
  const email = newAddress()
  await using mongo = await openAuth(f)
  await mongo.collection<Row>('people').insertOne({ _id: 'per_left', email, name: 'Rui', createdAt: new Date() })
  const hash = hashRecoveryCode('per_left', RECOVERY_CODE)
  const sheets = mongo.collection<Row>('recovery_sheets')
  await sheets.insertOne({ _id: 'per_left', hashes: [hash], createdAt: new Date() })
  const enter = async (who: string) => {
    const { status, text } = await new Visitor(f).submit('/sign-in/recovery', { email: who, code: RECOVERY_CODE })
    return [status, text.replaceAll(who, 'ADDRESS')]
  }
  t.deepEqual(await enter(email), await enter(f.family.people.owner))
  t.deepEqual((await sheets.findOne({ _id: 'per_left' }))?.hashes, [hash])
})

onScreen('a passkey of a person who left their family is refused', async (t) => {
  const { invited: f } = t.context
  const { viewer } = (await f.another({ others: ['viewer'] })).people
  await using browser = await openBrowser()
  const context = await openWith(f, browser, (await signIn(f, f.sink, viewer)).cookie)
  const page = await context.newPage()
  await addAuthenticator(context, page)
  await addPasskey(f, page, 'My phone')
  const member = await memberOf(f, viewer)
  const token = await f.principal({ ...member, email: viewer })
  await f.careCircle.removeMember({ personId: member.personId }, { token })
  await context.clearCookies()
  await page.goto(`${f.stack.inboxUrl}/sign-in`)
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.click({ timeout: 3000 }).catch(() => {}) // or the browser has offered it in the field
  await page.getByText('wasn’t accepted').first().waitFor()
  t.true(page.url().includes('/sign-in'))
})

test('a tool key and a tool call work whoever may sign up', async (t) => {
  for (const f of [t.context.invited, t.context.closed])
    t.is((await f.call(f.family.keys.owner, 'list_loved_ones')).status, 200)
})

test('while nobody may join, an open invitation admits nobody, and members are at home', async (t) => {
  const { closed: f } = t.context
  const { careCircle, principal, family, sink } = f
  const { personId, workspaceId } = await memberOf(f, family.people.owner)
  const owner = { personId, workspaceId, email: family.people.owner }
  const email = newAddress()
  const asOperator = await principal(owner, 'ops')
  const { token } = await careCircle.inviteMember(invitationFor(email), { token: asOperator })
  t.is(
    await statusOf(careCircle.acceptInvitation({ token, name: 'Rui' }, { token: await principal({ email }) })),
    'PERMISSION_DENIED',
  )
  const page = await new Visitor(f).get(`/invitation/${token}`)
  t.is(page.status, 403)
  t.regex(page.text, /isn’t taking new people/)
  const before = (await sink.waitFor(email)).length
  await new Visitor(f).submit('/sign-in/invitation', { token })
  await sink.waitFor(email, before + 1)
  t.is(codesTo(sink, email).length, 0)
  t.is(
    await statusOf(careCircle.inviteMember(invitationFor(newAddress()), { token: await principal(owner) })),
    'FAILED_PRECONDITION',
  )
  const member = await signIn(f, sink, family.people.owner)
  t.is((await member.get('/')).status, 200)
  t.notRegex((await member.get('/care-circle')).text, /Invite someone/)
  t.regex((await member.get('/sign-in?again=1')).text, /isn’t taking new people/)
})

test('without a sandbox its addresses are gone, no page leads there, and its service refuses, too', async (t) => {
  const { closed: f } = t.context
  const { inboxUrl, apiUrl } = f.stack
  const headers = { 'content-type': 'application/json' }
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  t.is((await send(`${inboxUrl}/api/mcp/public`)).status, 404)
  t.is((await send(`${inboxUrl}/api/mcp/public`, { method: 'POST', headers, body })).status, 404)
  const member = await signIn(f, f.sink, f.family.people.coordinator)
  t.is((await member.get('/onboarding')).status, 404)
  t.notRegex((await member.get('/welcome')).text, /onboarding/)
  const start = { clientAddress: '', lovedOneFirstName: 'Rosa', lovedOneLastName: 'Silva', familyName: '' }
  const refused = f.sandbox.startWorkspace({ ...start, careContext: '', familyMemberEmails: [] })
  t.is(await statusOf(refused), 'FAILED_PRECONDITION')
  t.notRegex((await send(`${apiUrl}/mcp/v1`)).text, /developers/, 'nor to pages of the public site')
})

test('without a public site its home page leads to sign-in, and nothing else is there', async (t) => {
  const { baseUrl, inboxUrl } = t.context.closed.stack
  const home = await send(`${baseUrl}/`)
  t.deepEqual([home.status, home.headers.location], [302, `${inboxUrl}/`])
  t.is((await new Visitor(t.context.closed).get('/')).headers.location, '/sign-in')
  for (const path of [
    '/about',
    '/privacy',
    '/llms.txt',
    '/openapi.json',
    '/sitemap.xml',
    '/.well-known/mcp/server.json',
  ])
    t.is((await send(`${baseUrl}${path}`)).status, 404, path)
  t.is((await send(`${baseUrl}/`, { method: 'POST' })).status, 404)
  t.regex((await send(`${baseUrl}/robots.txt`)).text, /Disallow: \//)
  t.is((await send(`${baseUrl}/icon-512.png`)).status, 200, 'clients of the tool server show it')
  t.false((await new Visitor(t.context.closed).get('/sign-in')).text.includes(baseUrl))
})

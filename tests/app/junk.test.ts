import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { openDatabase } from '../_database.ts'
import type { Guest } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { findOpened } from '../_sealed.ts'
import type { FamilyOptions } from '../_shared-stack.ts'
import { untilHandled } from '../_streams.ts'
import { readUntil, until } from '../_wait.ts'
import { pathOf } from '../appointments/_calendar.ts'
import { invitation, newUid } from '../appointments/_invitations.ts'
import { plainMail } from '../inbox/_smtp-client.ts'
import { openAs, openSharedScenes, signIn } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

const SCREENS = { phone: { width: 360, height: 640 }, desk: { width: 1280, height: 800 } }

/** A new family with a letter. */
async function newScene<Other extends OtherMember = never>(
  f: Guest,
  { mail, ...options }: FamilyOptions<Other> & { mail?: string | Buffer } = {},
) {
  const { people, keys, lovedOnes, workspaceId } = await f.another(options)
  const [rosa] = lovedOnes
  const subject = `Letter ${randomText(8)}`
  await openMailer(f.stack).deliver(rosa?.inboxAddress ?? '', mail ?? plainMail(subject))
  const lovedOneId = rosa?.id ?? ''
  const find = async () => {
    const { json } = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId })
    const { messages } = json.result.structuredContent as { messages: { id: string; subject: string }[] }
    return messages.find((one) => one.subject === subject || (mail !== undefined && one.subject !== ''))?.id
  }
  const messageId = (await find()) ?? ''
  return { people, keys, workspaceId, address: rosa?.inboxAddress ?? '', lovedOneId, messageId, subject, find }
}

for (const [screen, viewport] of Object.entries(SCREENS)) {
  onScreen(
    `on a ${screen}, someone moves a letter to Junk and back, and deletes it for good, by keyboard`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { people, lovedOneId, messageId, subject, find } = await newScene(f)
      await using context = await openAs(f, sink, browser, people.owner, { viewport })
      const page = await context.newPage()
      const fits = async () => t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      const choose = async (name: string) => {
        await page.getByText('More actions').press('Enter')
        await page.getByRole('button', { name, exact: true }).press('Enter')
      }
      await page.goto(`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`)
      await choose('Move to Junk')
      await page.getByText('Moved to Junk. Lists, search and assistants no longer show it.').waitFor()
      t.is(await find(), undefined)
      await fits()
      await page.getByRole('link', { name: 'Junk', exact: true }).press('Enter')
      await page.getByRole('link', { name: subject }).press('Enter')
      await page.getByRole('heading', { name: subject }).waitFor()
      await fits()
      await page.getByRole('button', { name: 'Put back' }).press('Enter')
      await page.getByText('It is back in the inbox.').waitFor()
      t.is(await find(), messageId)

      await choose('Delete')
      await page.getByText('Moved to Deleted, where it is kept for 30 days.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).press('Enter')
      await page.getByText('It is back in the inbox.').waitFor()
      await choose('Delete')
      await page.getByText('Moved to Deleted, where it is kept for 30 days.').waitFor()
      await page.getByRole('link', { name: 'Deleted' }).press('Enter')
      await page.getByRole('searchbox', { name: 'Search Deleted' }).fill(subject)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Clear search' }).waitFor()
      t.false(decodeURIComponent(page.url()).includes(subject.split(' ')[1] ?? ''), 'no word is in the address')
      await fits()
      await page.getByRole('link', { name: subject }).press('Enter')
      await page.getByRole('link', { name: 'Delete for good' }).press('Enter')
      await fits()
      await page.getByRole('button', { name: 'Delete for good' }).press('Enter')
      await page.getByText('Nothing was deleted').waitFor()
    },
  )

  onScreen(
    `on a ${screen}, someone blocks a sender by keyboard, reads their mail in Junk, and unblocks them`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { people, lovedOneId, messageId, subject, address, find } = await newScene(f)
      await using context = await openAs(f, sink, browser, people.owner, { viewport })
      const page = await context.newPage()
      const fits = async () => t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      await page.goto(`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`)
      await page.getByText('More actions').press('Enter')
      await page.getByRole('link', { name: 'Block sender' }).press('Enter')
      await page.getByRole('button', { name: 'Block' }).waitFor()
      await fits()
      await page.getByRole('button', { name: 'Block' }).press('Enter')
      await page.getByText('Blocked. New mail from them goes to Junk.').waitFor()
      t.is(await find(), undefined)
      const later = `Later ${randomText(8)}`
      await openMailer(f.stack).deliver(address, plainMail(later))
      await page.getByRole('link', { name: 'Junk' }).press('Enter')
      await page.getByRole('link', { name: subject }).waitFor()
      const search = async (words: string) => {
        await page.getByRole('searchbox', { name: 'Search Junk' }).fill(words)
        await page.keyboard.press('Enter')
      }
      await search('nothing like it')
      await page.getByText('No messages found in Junk.').waitFor()
      await search(later)
      await page.getByRole('link', { name: 'Clear search' }).waitFor()
      t.is(await page.getByRole('link', { name: subject }).count(), 0)
      await fits()
      await page.getByRole('link', { name: later }).press('Enter')
      await page.getByText('Your filter kept this out of the inbox').waitFor()
      await fits()
      await page.getByRole('link', { name: 'Blocked senders' }).press('Enter')
      await page.getByRole('button', { name: 'Unblock' }).press('Enter')
      await page.getByText('Nobody is blocked.').waitFor()
    },
  )
}

onScreen('with a keyboard on a phone, someone deletes a letter that is not theirs and tells its sender', async (t) => {
  const { f, sink, browser } = t.context
  const { people, lovedOneId, messageId, find } = await newScene(f)
  const phone = { viewport: { width: 360, height: 640 } }
  await using context = await openAs(f, sink, browser, people.owner, phone)
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`)
  await page.getByText('More actions').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Not meant for us' }).press('Enter')
  const words = `It reached us by mistake ${randomText(8)}`
  await page.getByLabel('What they get').fill(words)
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.getByRole('button', { name: 'Delete for good' }).press('Enter')
  await page.locator('.done, [role="status"]').first().waitFor()
  t.is(await find(), undefined)
  await until(async () => sink.mails.some(({ raw }) => raw.includes(words.slice(-8))))
})

for (const [screen, viewport] of Object.entries(SCREENS))
  onScreen(`on a ${screen}, someone lets only listed senders reach an inbox, by keyboard`, async (t) => {
    const { f, sink, browser } = t.context
    const { people, address, find } = await newScene(f)
    await using context = await openAs(f, sink, browser, people.owner, { viewport })
    const page = await context.newPage()
    await page.goto(`${f.stack.inboxUrl}/settings/blocked-senders`)
    await page.getByRole('checkbox', { name: 'Only these senders reach Rosa' }).press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.type('@only.example')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('It applies to mail that arrives from now on.').waitFor()
    t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
    t.not(await find(), undefined, 'what is there stays')
    const later = `Later ${randomText(8)}`
    await openMailer(f.stack).deliver(address, plainMail(later))
    await page.goto(`${f.stack.inboxUrl}/junk`)
    await page.getByRole('link', { name: later }).waitFor()
  })

test('a viewer looks into Junk and changes nothing, and a stranger finds neither', async (t) => {
  const { f, sink } = t.context
  const { people, lovedOneId, messageId, subject } = await newScene(f, { others: ['viewer'] })
  const [ana, viewer] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.viewer)]
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const path = `/inbox/${lovedOneId}/${messageId}`
  const opened = (await viewer.get(path)).text
  for (const words of ['Move to Junk', 'Delete', 'Block sender']) t.false(opened.includes(words), words)
  for (const form of ['move', 'block', 'not-ours'])
    t.is((await viewer.submit(`${path}/${form}`, { to: 'junk', sender: 'address' })).status, 403, form)
  t.is((await stranger.submit(`${path}/move`, { to: 'junk' })).status, 404)
  t.is((await ana.submit(`${path}/move`, { to: 'elsewhere' })).status, 400)

  t.is((await ana.submit(`${path}/move`, { to: 'junk' })).status, 303)
  t.true((await viewer.get('/junk')).text.includes(subject))
  const aside = `/junk/${lovedOneId}/${messageId}`
  t.true((await viewer.get(aside)).text.includes(subject))
  t.is((await viewer.submit(`${aside}/restore`, {})).status, 403)
  t.is((await viewer.submit(`${aside}/delete`, {})).status, 403)
  t.is((await viewer.get('/deleted')).status, 403)
  t.true((await viewer.get(path)).text.includes('moved it to <a href="/junk">Junk</a>'))
  t.is((await stranger.get(aside)).status, 404)
  t.is((await stranger.submit(`${aside}/restore`, {})).status, 404)
  t.false((await stranger.get('/junk')).text.includes(subject))
  const found = await viewer.submit('/junk/search', { words: subject })
  t.true((await viewer.get(String(found.headers.location))).text.includes(aside))
  const theirs = await stranger.submit('/junk/search', { words: subject })
  t.false((await stranger.get(String(theirs.headers.location))).text.includes(aside))
  t.is((await viewer.submit('/deleted/search', { words: subject })).status, 403)
  t.is((await viewer.submit('/settings/blocked-senders', { sender: 'x@shop.example' })).status, 403)
})

test('the address of a member cannot be blocked, and a mistyped one is explained in its form', async (t) => {
  const { f, sink } = t.context
  const { people } = await newScene(f, { others: ['viewer'] })
  const ana = await signIn(f, sink, people.owner)
  const refused = await ana.submit('/settings/blocked-senders', { sender: people.viewer })
  t.is(refused.status, 422)
  t.true(refused.text.includes('Their mail always arrives.'))
  const wrong = await ana.submit('/settings/blocked-senders', { sender: 'shop' })
  t.is(wrong.status, 422)
  t.true(wrong.text.includes('Enter addresses like desk@example.org') && wrong.text.includes('value="shop"'))
})

test('a letter about somebody else is gone at once, and its sender hears only that', async (t) => {
  const { f, sink } = t.context
  const { people, workspaceId, lovedOneId, messageId, subject, find } = await newScene(f)
  const ana = await signIn(f, sink, people.owner)
  const path = `/inbox/${lovedOneId}/${messageId}/not-ours`
  const { text } = await ana.get(path)
  const [, prepared = ''] = /<textarea[^>]*>\n?([^<]*)<\/textarea>/.exec(text) ?? []
  t.true(prepared.includes('by mistake') && !prepared.includes(subject))
  t.is((await ana.submit(path, { tell: '1', body: '' })).status, 422)
  t.is(await find(), messageId, 'a refused form deletes nothing')
  const body = `${prepared} ${randomText(8)}`
  t.is((await ana.submit(path, { tell: '1', body })).status, 303)
  t.is(await find(), undefined)
  await until(async () => sink.mails.some(({ raw }) => raw.includes(body.slice(-8))))
  await using mongo = await openDatabase(f.stack, 'inbox')
  await until(async () => (await mongo.db().collection('messages_aside').countDocuments({ workspaceId })) === 0)
  const told = await findOpened(f.stack, mongo.db(), 'replies', { workspaceId, lovedOneId }, (row) => row.body === body)
  t.deepEqual(told, [])
})

test('the appointment of mail in Junk leaves the calendar, comes back with it, and stays when someone goes', async (t) => {
  const { f, sink } = t.context
  const summary = `Scan ${randomText(6)}`
  const { people, lovedOneId, messageId } = await newScene(f, { mail: invitation({ uid: newUid(), summary }) })
  const ana = await signIn(f, sink, people.owner)
  const isShown = async () => (await ana.get('/appointments')).text.includes(summary)
  const untilShown = (wanted: boolean) => readUntil(isShown, (shown) => shown === wanted)
  await untilShown(true)
  t.is((await ana.submit(`/inbox/${lovedOneId}/${messageId}/move`, { to: 'junk' })).status, 303)
  await untilShown(false)
  t.is((await ana.submit(`/junk/${lovedOneId}/${messageId}/restore`, {})).status, 303)
  await untilShown(true)

  const appointment = pathOf((await ana.get('/appointments')).text, summary).split('?')[0] ?? ''
  t.is((await ana.submit(`${appointment}/going`, { going: 'yes' })).status, 303)
  t.is((await ana.submit(`/inbox/${lovedOneId}/${messageId}/move`, { to: 'junk' })).status, 303)
  await untilHandled(f.stack, 'CALENDAR_CHANGES')
  t.true(await isShown())
})

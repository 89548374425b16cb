import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import type { Page } from 'playwright-core'
import { openDatabase } from '../_database.ts'
import type { Guest } from '../_family.ts'
import { receiveLetter } from '../_letter.ts'
import { openMailer } from '../_mailer.ts'
import { readUntil } from '../_wait.ts'
import { createFeed } from '../appointments/_calendar.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { violationsOf } from '../site/_axe.ts'
import { openSharedScenes, openWith, type Sink, signIn, type Visitor } from './_app.ts'

const { test, onScreen } = openSharedScenes()
const PATH = '/settings/family-activity'
const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } }

/** A new family with a letter that nobody has opened, with a file. */
async function newScene<Other extends OtherMember = never>(f: Guest, sink: Sink, ...others: Other[]) {
  const family = await f.another({ others })
  const { id: lovedOneId = '', inboxAddress = '' } = family.lovedOnes[0] ?? {}
  const subject = `Results ${randomText(8)}`
  const file = attachment('scan.bin', 'application/octet-stream', Buffer.from('abc'))
  const raw = multipartMail({ Subject: subject }, 'mixed', [text('See the file.'), file])
  await openMailer(f.stack).deliver(inboxAddress, raw)
  const list = await f.call(family.keys.owner, 'list_inbox_messages', { lovedOneId })
  const messageId: string = list.json.result.structuredContent.messages[0].id
  const owner = await signIn(f, sink, family.people.owner)
  const path = `/inbox/${lovedOneId}/${messageId}`
  return { ...family, subject, lovedOneId, messageId, path, owner }
}

for (const [name, viewport] of Object.entries(SIZES))
  onScreen(
    `on a ${name}, with the keyboard, the owner finds who opened a message, and opens it from there`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { people, path, owner, subject } = await newScene(f, sink, 'coordinator')
      await opened(await signIn(f, sink, people.coordinator), path)
      await opened(owner, path)
      await using context = await openWith(f, browser, owner.cookie, { viewport })
      const page = await context.newPage()
      await page.goto(`${f.stack.inboxUrl}/settings`)
      await page.getByRole('link', { name: /^Family activity/ }).press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Family activity' }).waitFor()
      t.true((await textOf(page)).includes('You opened a message.'))
      t.deepEqual(await violationsOf(page, 'light'), [])

      await page.getByText('Filter', { exact: true }).press('Enter')
      await page.getByLabel('Person').focus()
      await page.keyboard.type('Luis')
      await page.getByLabel('Action').focus()
      await page.keyboard.type('Opening m')
      await page.getByRole('button', { name: 'Show', exact: true }).press('Enter')
      await page.waitForURL(/person=per_/)
      t.false((await textOf(page)).includes('You opened'))
      const row = page.getByRole('listitem').filter({ hasText: 'Luis Almeida opened a message.' }).first()
      await row.getByText('Show details').press('Enter')
      t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      await row.getByRole('link', { name: subject }).press('Enter')
      await page.getByRole('heading', { level: 1, name: subject }).waitFor()
    },
  )

test('putting conversations together, taking a letter out and undoing that are listed, too', async (t) => {
  const { f, sink } = t.context
  const scene = await newScene(f, sink)
  const { owner } = scene
  const [one, two] = [await receiveLetter(f, owner, scene), await receiveLetter(f, owner, scene)]
  await submitted(owner, `${one.path}/together`, { with: two.messageId })
  const [, joined = ''] = /name="rearrangement" value="(rea_\w+)"/.exec((await owner.get(one.path)).text) ?? []
  await submitted(owner, `${one.path}/rearranged/undo`, { rearrangement: joined })
  await submitted(owner, `${one.path}/together`, { with: two.messageId })
  await submitted(owner, `${one.path}/take-out`, {})
  const words = wordsOf((await owner.get(PATH)).text)
  for (const part of [
    'put 2 conversations with others',
    'took a message out of a conversation',
    'put a conversation back as it was',
  ])
    t.true(words.includes(part), `${part}: ${words}`)
})

test('what somebody opens, downloads, shares, deletes and changes is listed in words, without what it says', async (t) => {
  const { f, sink } = t.context
  const scene = await newScene(f, sink, 'coordinator', 'viewer')
  const { people, path, owner, subject, lovedOneId, messageId, workspaceId } = scene
  const letter = await receiveLetter(f, owner, scene)
  const [doctor, shop, guest] = ['doctor', 'shop', 'guest'].map((one) => `${one}-${randomText(8)}@example.org`)
  await opened(owner, path)
  t.is((await owner.get(`${path}/files/0`)).status, 200)
  await submitted(owner, `${path}/forward`, { key: randomText(20), to: doctor ?? '', body: 'Secret words' })
  await submitted(owner, `${letter.path}/move`, { to: 'junk' })
  await submitted(owner, `/junk/${letter.lovedOneId}/${letter.messageId}/restore`, {})
  await submitted(owner, `${letter.path}/move`, { to: 'deleted' })
  await submitted(owner, `/deleted/${letter.lovedOneId}/${letter.messageId}/delete`, {})
  await submitted(owner, '/settings/blocked-senders', { sender: shop ?? '' })
  await createFeed(owner)
  const sheet = `/emergency-sheets/${lovedOneId}`
  await submitted(owner, `${sheet}/change`, { typed: 'yes', version: '0', allergies: 'Penicillin' })
  t.is((await owner.get(sheet)).status, 200)
  const link = await submitted(owner, `${sheet}/links`, { hours: '24', request: randomText(8) })
  const created = (await owner.get(link)).text
  const [, token = ''] = /\/emergency\/([0-9a-z]{32})</.exec(created) ?? []
  const [, code = ''] = /id="code"><bdi>(\d{3} \d{3})</.exec(created) ?? []
  t.is((await owner.submit(`/emergency/${token}`, { code })).status, 200)
  await owner.submit('/care-circle/invite', { email: guest ?? '', role: 'viewer', idempotency_key: randomText(20) })
  const viewerId = await personIdOf(f, workspaceId, people.viewer)
  await submitted(owner, `/care-circle/people/${viewerId}`, { role: 'coordinator' })
  const luisId = await personIdOf(f, workspaceId, people.coordinator)
  await submitted(owner, `/care-circle/people/${luisId}/remove`, {})
  await submitted(owner, '/settings/your-data/download', {}, 200)

  const list = (await owner.get(PATH)).text
  const words = wordsOf(list)
  const sentence = /You (.*?)\. Show/.exec(words)?.[1] ?? ''
  for (const part of [
    'opened a message',
    'downloaded a file',
    'forwarded a message',
    'moved a message to Junk',
    'put back a message',
    'moved a message to Deleted',
    'deleted a message for good',
    'blocked a sender',
    'created a calendar address',
    'opened an emergency sheet',
    'created a link to an emergency sheet',
    'invited a person',
    'changed a role',
    'removed a person',
    'downloaded all data',
  ])
    t.true(sentence.includes(part), `${part}: ${words}`)
  t.true(words.includes('Somebody with a link opened an emergency sheet with a link.'))
  t.true(words.includes('Forwarded a message (to an address outside the address book)'))
  t.regex(words, /Changed a role \([^)]+, coordinator\)/)
  t.true(words.includes('Moved a message to Deleted: no longer in the inbox'))
  t.true(list.includes(`<a href="${path}"><bdi>${subject}</bdi></a>`), 'the subject is looked up')

  const rows = await entriesOf(f, workspaceId)
  t.is(rows.filter(({ tool }) => tool === 'open_message').length, 1)
  t.notRegex(JSON.stringify(rows), new RegExp(`${subject}|Secret|scan\\.bin|@|Penicillin|${token}`))
  t.true(rows.every(({ kind }) => kind === CredentialKind.PERSON))
  t.false(wordsOf((await owner.get('/settings/agent-activity')).text).includes('opened a message'))
  t.is(rows.filter(({ message }) => message?.messageId === messageId).length, 3)
})

onScreen('who prints a message or an emergency sheet is listed, once for each', async (t) => {
  const { f, sink, browser } = t.context
  const { owner, path, lovedOneId } = await newScene(f, sink)
  const sheet = `/emergency-sheets/${lovedOneId}`
  await submitted(owner, `${sheet}/change`, { typed: 'yes', version: '0', allergies: 'Penicillin' })
  await using context = await openWith(f, browser, owner.cookie, {})
  const page = await context.newPage()
  for (const one of [path, path, sheet]) {
    await page.goto(f.stack.inboxUrl + one)
    await page.pdf()
  }
  const words = await readUntil(
    async () => wordsOf((await owner.get(PATH)).text),
    (text) => text.includes('printed an emergency sheet') && text.includes('printed a'),
  )
  t.true(words.includes('printed a message'), words)
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  await stranger.submit(`${path}/printed`, {})
  t.is((await stranger.submit(`${sheet}/printed`, {})).status, 404)
  t.true(wordsOf((await stranger.get(PATH)).text).includes('No activity yet'))
})

test('members see what they did themselves, whatever they ask for, and another family nothing', async (t) => {
  const { f, sink } = t.context
  const { people, path, owner, subject, workspaceId } = await newScene(f, sink, 'viewer')
  await opened(owner, path)
  const viewer = await signIn(f, sink, people.viewer)
  t.true(wordsOf((await viewer.get(PATH)).text).includes('No activity yet'))
  const ownerId = await personIdOf(f, workspaceId, people.owner)
  t.false((await viewer.get(`${PATH}?person=${ownerId}`)).text.includes(subject))
  await opened(viewer, path)
  const own = wordsOf((await viewer.get(`${PATH}?person=${ownerId}`)).text)
  t.true(own.includes('You opened a message.') && !own.includes('Ana Almeida opened'), own)
  const all = wordsOf((await owner.get(PATH)).text)
  t.true(all.includes('You opened a message.') && all.split('opened a message.').length === 3, all)
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const { text: theirs } = await stranger.get(`${PATH}?person=${ownerId}`)
  t.true(theirs.includes('No activity found') && !theirs.includes(subject))
})

test('two people who open a message at the same moment have an entry each, and ten reloads of one person have one', async (t) => {
  const { f, sink } = t.context
  const { people, path, owner, workspaceId, messageId } = await newScene(f, sink, 'coordinator')
  const luis = await signIn(f, sink, people.coordinator)
  const begun = Date.now()
  await Promise.all([...Array.from({ length: 10 }, () => opened(owner, path)), opened(luis, path)])
  // A test that runs over the full hour has two for each.
  const hours = Math.floor(Date.now() / HOUR_MS) - Math.floor(begun / HOUR_MS) + 1
  const of = await readUntil(
    async () => (await entriesOf(f, workspaceId)).filter(({ message }) => message?.messageId === messageId),
    (found) => found.length >= 2,
  )
  const counts = Object.values(Object.groupBy(of, ({ personId }) => personId)).map((some = []) => some.length)
  t.is(counts.length, 2)
  t.true(
    counts.every((count) => count <= hours),
    `${counts}`,
  )
})

/** From the beginning when a busy machine answers 503. */
async function opened(visitor: Visitor, path: string): Promise<void> {
  await readUntil(
    () => visitor.get(path),
    ({ status }) => status === 200,
  )
}

/** Again when it answers 503, as for a letter that has just arrived. @returns where the form leads */
async function submitted(visitor: Visitor, path: string, fields: Record<string, string>, expected = 303) {
  const { status, headers, text: page } = await visitor.insist(path, fields)
  if (status !== expected) throw new Error(`${path} answered ${status} ${wordsOf(page).slice(0, 600)}`)
  return String(headers.location)
}

type Row = { _id: string; personId: string; tool: string; kind: CredentialKind; message?: { messageId: string } }

/** What people did in a family. */
async function entriesOf(f: Guest, workspaceId: string): Promise<Row[]> {
  await using client = await openAuth(f)
  return await client.rows.find({ workspaceId, kind: CredentialKind.PERSON }).toArray()
}

async function openAuth(f: Guest) {
  const client = await openDatabase(f.stack, 'auth')
  return { rows: client.db().collection<Row>('audit_entries'), [Symbol.asyncDispose]: () => client.close() }
}

async function personIdOf(f: Guest, workspaceId: string, email: string): Promise<string> {
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const row = await mongo.db().collection('members').findOne({ workspaceId, email })
  return String(row?.personId)
}

const textOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replace(/\s+/g, ' ')

/** The visible text of a page. */
function wordsOf(page: string): string {
  return page
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', '’')
}

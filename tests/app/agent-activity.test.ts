import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { type AuditEntry, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { openDatabase } from '../_database.ts'
import type { Guest } from '../_family.ts'
import { receiveLetter } from '../_letter.ts'
import { readUntil } from '../_wait.ts'
import { mintKey } from '../outgoing-mail/_approval.ts'
import { openSharedScenes, openWith, type Sink, signIn } from './_app.ts'

const { test, onScreen } = openSharedScenes('standard', { withMail: true })
const ACTIVITY = '/settings/agent-activity'
const DAY_MS = 86_400_000

/** A new family with a letter. */
async function newScene<Other extends OtherMember = never>(f: Guest, sink: Sink, ...others: Other[]) {
  const family = await f.another({ others })
  const owner = await signIn(f, sink, family.people.owner)
  const letter = await receiveLetter(f, owner, family)
  return { ...family, ...letter, otherId: family.lovedOnes[1]?.id ?? '', owner }
}

test('an activity entry leads to its message, and the message to the activity of that day and assistant', async (t) => {
  const { f, sink } = t.context
  const { keys, people, owner, lovedOneId, messageId, path, subject } = await newScene(f, sink, 'coordinator', 'viewer')
  t.false((await owner.get(path)).text.includes('What assistants did'))
  await f.call(keys.coordinator, 'get_inbox_message', { lovedOneId, messageId })
  // Without the loved one, as the tool allows.
  await f.call(keys.coordinator, 'reply_to_inbox_message', { messageId, body: 'Thank you.' })
  await f.call(keys.owner, 'list_loved_ones')

  const activity = await owner.get(ACTIVITY)
  t.is(activity.text.split(`<a href="${path}"><bdi>${subject}</bdi></a>`).length - 1, 2)
  t.true(wordsOf(activity.text).includes('Luis Almeida’s assistant (Demo key) sent a reply and read a message.'))

  // On a busy machine the page may not be ready in time, and says so.
  const { text: message } = await readUntil(
    () => owner.get(path),
    ({ status }) => status === 200,
  )
  t.regex(wordsOf(message), /Demo key, for Luis Almeida, replied today\s?Demo key, for Luis Almeida, read this today/)
  const href = /<a href="([^"]+)">read this today/.exec(message)?.[1]?.replaceAll('&#38;', '&').replaceAll('&amp;', '&')
  const day = await owner.get(href ?? '')
  t.true(wordsOf(day.text).includes('Luis Almeida’s assistant (Demo key) sent a reply and read a message.'))
  t.false(wordsOf(day.text).includes('Your assistant (Demo key)'), 'the other assistant is left out')

  const luis = await signIn(f, sink, people.coordinator)
  t.true(wordsOf((await luis.get(path)).text).includes('read this today'))
  const viewer = await signIn(f, sink, people.viewer)
  t.false(wordsOf((await viewer.get(path)).text).includes('read this today'), 'only of their own assistants')
  t.false((await viewer.get(href ?? '')).text.includes(messageId))
})

test('what waits for approval is a proposal, and a call that was refused names no message', async (t) => {
  const { f, sink } = t.context
  const { keys, owner, lovedOneId, otherId, messageId, path } = await newScene(f, sink, 'viewer')
  await f.call(keys.viewer, 'reply_to_inbox_message', { messageId, lovedOneId, body: 'Refused.' })
  await f.call(keys.owner, 'get_inbox_message', { messageId, lovedOneId: otherId })
  await f.call(keys.owner, 'get_inbox_message', { messageId: 'msg_made_up', lovedOneId })
  const stranger = await f.another()
  await f.call(stranger.keys.owner, 'get_inbox_message', { messageId, lovedOneId })
  t.is(await countEntries(f, messageId), 0)
  t.is(await countEntries(f, 'msg_made_up'), 0)
  t.false((await owner.get(path)).text.includes('What assistants did'))

  const careful = await mintKey(owner, 'approval', 'Careful')
  await f.call(careful, 'reply_to_inbox_message', { messageId, lovedOneId, body: 'Shall I?' })
  t.true(wordsOf((await owner.get(path)).text).includes('Careful, for Ana Almeida, proposed a reply today'))
  const { text } = await owner.get(ACTIVITY)
  t.true(wordsOf(text).includes('Your assistant (Careful) proposed a reply.'))
  t.true(text.includes('<p class="hint">Waited for approval.'), 'which is no fault')
  t.regex(text, /<p class="refusal">Refused/)
})

test('a family sees nothing of another one, whatever it asks for', async (t) => {
  const { f, sink } = t.context
  const { keys, lovedOneId, messageId } = await newScene(f, sink)
  await f.call(keys.owner, 'get_inbox_message', { lovedOneId, messageId })
  const [{ credentialId = '', message = undefined } = {}] = await findEntries(f, { 'message.messageId': messageId })
  t.deepEqual(message, { messageId, lovedOneId })
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const { text } = await stranger.get(`${ACTIVITY}?assistant=${credentialId}`)
  t.true(text.includes('No activity found'))
  t.false(text.includes(messageId))
})

test('a link to a message is only for whoever may see it', async (t) => {
  const { f, sink } = t.context
  const { owner, workspaceId, messageId, lovedOneId, subject } = await newScene(f, sink)
  const deleted = { messageId: 'msg_deleted', lovedOneId }
  await addEntries(f, [
    entry(workspaceId, new Date(), { message: { messageId, lovedOneId: 'lo_elsewhere' } }),
    entry(workspaceId, new Date(), { credentialId: 'key_other', message: deleted }),
  ])
  const { text } = await owner.get(ACTIVITY)
  t.is(wordsOf(text).split('Read a message.').length - 1, 2)
  t.false(text.includes(messageId) || text.includes(subject))
  t.false(text.includes('msg_deleted'), 'nor to one that was deleted')
})

test('a sentence counts its whole day, also when the day is on several pages', async (t) => {
  const { f, sink } = t.context
  const { owner, workspaceId } = await newScene(f, sink)
  // A day that has ended: 150 calls about 70 messages, 10 refused, and one before it.
  const noon = new Date(`${new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)}T12:00:00Z`)
  const at = (seconds: number) => new Date(noon.getTime() - seconds * 1000)
  const read = (_: unknown, index: number) =>
    entry(workspaceId, at(index), { message: { messageId: `msg_${index % 70}`, lovedOneId: 'lo_1' } })
  const refused = (_: unknown, index: number) => entry(workspaceId, at(500 + index), { outcome: Outcome.REFUSED })
  await addEntries(f, [
    ...Array.from({ length: 140 }, read),
    ...Array.from({ length: 10 }, refused),
    entry(workspaceId, at(2 * 86_400), { credentialId: 'key_other' }),
  ])
  const sentence = 'A former member’s assistant (no longer connected) read 70 messages and had 10 calls refused.'
  const first = await owner.get(ACTIVITY)
  t.true(wordsOf(first.text).includes(sentence), wordsOf(first.text))
  t.true(first.text.includes('Not all of its calls are on this page.'))
  const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&#38;', '&').replaceAll('&amp;', '&')
  const second = wordsOf((await owner.get(next ?? '')).text)
  t.true(second.includes(sentence), second)
  t.true(second.includes('(no longer connected) read a message.'), 'the day before')
  t.is(second.split('Yesterday').length - 1, 1)

  const one = wordsOf((await owner.get(`${ACTIVITY}?ended=refused`)).text)
  t.true(one.includes('(no longer connected) had 10 calls refused.'), one)
  const dayBefore = at(2 * 86_400)
    .toISOString()
    .slice(0, 10)
  const day = wordsOf((await owner.get(`${ACTIVITY}?day=${dayBefore}`)).text)
  t.true(day.includes('(no longer connected) read a message.') && !day.includes('70 messages'), day)
  // Noon is midnight in Fiji, and begins the next day.
  owner.adopt('time_zone', 'Pacific/Fiji')
  const inFiji = wordsOf((await owner.get(ACTIVITY)).text)
  t.true(inFiji.includes('(no longer connected) read a message. Show the call'), inFiji)
  t.true(inFiji.includes(sentence), inFiji)
  t.is((await owner.get(`${ACTIVITY}?day=2026-99-99&assistant=${'x'.repeat(500)}`)).status, 200)
})

test('what was done with a message is found by an index, without sorting', async (t) => {
  const { f, sink } = t.context
  const { workspaceId, messageId } = await newScene(f, sink)
  // What was done with other messages, which the database would have to pass over.
  await addEntries(
    f,
    Array.from({ length: 200 }, (_, nth) => entry(workspaceId, new Date(Date.now() - nth), {})),
  )
  await using mongo = await openAuth(f)
  const about = { workspaceId, 'message.messageId': messageId, personId: 'per_1' }
  const plan = await mongo.entries.find(about).sort({ startedAt: -1, _id: -1 }).limit(51).explain('queryPlanner')
  const text = JSON.stringify(plan.queryPlanner.winningPlan)
  t.regex(text, /"message\.messageId":1/)
  t.notRegex(text, /"COLLSCAN"|"SORT"/)
})

onScreen('on a phone, without scripts, the calls of an assistant unfold below its sentence', async (t) => {
  const { f, sink, browser } = t.context
  const { keys, owner, lovedOneId, messageId, subject } = await newScene(f, sink)
  await f.call(keys.owner, 'get_inbox_message', { lovedOneId, messageId })
  const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }
  await using context = await openWith(f, browser, owner.cookie, phone)
  const page = await context.newPage()
  await page.goto(f.stack.inboxUrl + ACTIVITY)
  const row = page.getByRole('listitem').filter({ hasText: 'Your assistant (Demo key) read a message.' }).first()
  t.false(await row.getByRole('link', { name: subject }).isVisible())
  await row.getByText('Show the call').click()
  await row.getByRole('link', { name: subject }).click()
  t.is(await page.getByRole('heading', { level: 1 }).textContent(), subject)
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.getByRole('link', { name: /read this today/ }).click()
  t.true(await page.getByRole('link', { name: subject }).isVisible(), 'unfolded')
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 360)
})

type Row = Omit<AuditEntry, 'id'> & { _id: string }

function entry(workspaceId: string, startedAt: Date, changes: Partial<Row>): Row {
  return {
    _id: newId('call'),
    workspaceId,
    personId: 'per_gone',
    credentialId: 'key_gone',
    kind: CredentialKind.TOOL_KEY,
    tool: 'get_inbox_message',
    startedAt,
    durationUs: 1,
    outcome: Outcome.OK,
    ...changes,
  }
}

async function openAuth(f: Guest) {
  const client = await openDatabase(f.stack, 'auth')
  return { entries: client.db().collection<Row>('audit_entries'), [Symbol.asyncDispose]: () => client.close() }
}

async function addEntries(f: Guest, rows: Row[]): Promise<void> {
  await using mongo = await openAuth(f)
  await mongo.entries.insertMany(rows)
}

async function findEntries(f: Guest, filter: Record<string, unknown>): Promise<Row[]> {
  await using mongo = await openAuth(f)
  return await mongo.entries.find(filter).toArray()
}

async function countEntries(f: Guest, messageId: string): Promise<number> {
  return (await findEntries(f, { 'message.messageId': messageId })).length
}

/** The visible text of a page. */
function wordsOf(page: string): string {
  return page
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', '’')
}

import anyTest, { type TestFn } from 'ava'
import type { Collection, MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Answer, type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { untilToolAnswered } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { ops } from '../event-pipe/_ops.ts'

type Row = { _id: string } & Record<string, unknown>
type World = { f: Guest; sink: Sink; mongo: MongoClient; rows: (name: string) => Collection<Row> }

const test = (anyTest as TestFn<World>).serial

/** Seeding a workspace uses two of them. */
const INVITATIONS_PER_DAY = 50

test.before(async ({ context }) => {
  const f = await joinFamily()
  Object.assign(context, { f, sink: f.sink })
  context.mongo = await openDatabase(context.f.stack, 'inbox')
  context.rows = (name) => context.mongo.db().collection<Row>(name)
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
})

type On = Pick<World, 'f'>
type Home = { key: string; coordinator: string; workspaceId: string; lovedOneId: string; address: string }

async function newFamily({ f }: On): Promise<Home> {
  const { keys, lovedOnes, workspaceId } = await f.another({ others: ['coordinator'] })
  const { id = '', inboxAddress = '' } = lovedOnes[0] ?? {}
  return { key: keys.owner, coordinator: keys.coordinator, workspaceId, lovedOneId: id, address: inboxAddress }
}

let count = 0

/** Delivers a mail from this sender. @returns its id */
async function receive({ f }: On, { key, lovedOneId, address }: Home, from: string): Promise<string> {
  count += 1
  const subject = `Question ${count}.`
  const header = `From: ${from}\r\nSubject: ${subject}\r\nMessage-ID: <${count}@clinic.example>\r\n`
  await openMailer(f.stack).deliver(address, `${header}\r\nWhat now?\r\n`)
  const list = await f.call(key, 'list_inbox_messages', { lovedOneId, limit: 50 })
  const found = list.json.result.structuredContent.messages.find((one: { subject: string }) => one.subject === subject)
  return found.id
}

/** The same words again are the same reply, so a busy machine can be asked again. */
const reply = ({ f }: On, key: string, args: object) =>
  untilToolAnswered(() => f.call(key, 'reply_to_inbox_message', args))

function isRefused(answer: Answer, words: RegExp): boolean {
  const { status, json } = answer
  return status === 200 && json.result?.isError === true && words.test(json.result.content[0].text)
}

async function makeOld({ rows }: World, { workspaceId }: Home): Promise<void> {
  const createdAt = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
  await rows('inbox_addresses').updateMany({ workspaceId }, { $set: { createdAt } })
}

/** Sets a passing DMARC result, since the tests run without DNS. */
async function passDmarc({ rows }: World, { workspaceId }: Home): Promise<void> {
  const authenticity = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none' }
  const change = { $set: { authenticity }, $unset: { authenticityPending: true } } as const
  await rows('messages').updateMany({ workspaceId }, change)
}

test('a new family can send thirty replies, and then sees when to try again', async (t) => {
  const home = await newFamily(t.context)
  const messageId = await receive(t.context, home, 'desk@clinic.example')
  for (let nth = 0; nth < 30; nth += 1) {
    const { json } = await reply(t.context, home.key, { messageId, body: `Answer ${nth}` })
    t.is(json.result.structuredContent?.status, 'queued', json.result.content[0].text)
  }
  const refused = await reply(t.context, home.key, { messageId, body: 'One more' })
  t.true(isRefused(refused, /not sent\. Try again in \d+ minutes\.$/), refused.text)
  t.is((await t.context.f.call(home.key, 'ping')).status, 200, 'nothing else is refused')
  const repeated = await reply(t.context, home.key, { messageId, body: 'Answer 3' })
  t.is(repeated.json.result.structuredContent?.status, 'queued', 'a sent reply is still returned as sent')
})

test('an older workspace can send more replies to verified senders, but no more to one address', async (t) => {
  const home = await newFamily(t.context)
  const ids = [await receive(t.context, home, 'a@lab.example'), await receive(t.context, home, 'b@lab.example')]
  await makeOld(t.context, home)
  await passDmarc(t.context, home)
  for (let nth = 0; nth < 36; nth += 1) {
    const { json } = await reply(t.context, home.key, { messageId: ids[nth % 2], body: `Answer ${nth}` })
    t.is(json.result.structuredContent?.status, 'queued', json.result.content[0].text)
  }
  for (let nth = 0; nth < 12; nth += 1)
    await reply(t.context, home.coordinator, { messageId: ids[0], body: `Answer ${nth}` })
  const refused = await reply(t.context, home.coordinator, { messageId: ids[0], body: 'One more' })
  t.true(isRefused(refused, /replies to this address/), refused.text)
})

test('concurrent replies respect the limit exactly, and a repeated request does not count', async (t) => {
  const { rows } = t.context
  const home = await newFamily(t.context)
  const messageId = await receive(t.context, home, 'desk@clinic.example')
  const before = await rows('replies').countDocuments({ workspaceId: home.workspaceId })
  const answers = await Promise.all(
    Array.from({ length: 36 }, (_, nth) => {
      const key = nth % 2 === 0 ? home.key : home.coordinator
      return untilToolAnswered(() =>
        reply(t.context, key, { messageId, body: `Answer ${nth}`, idempotencyKey: `${nth}` }),
      )
    }),
  )
  const queued = answers.filter(({ json }) => json.result?.structuredContent)
  const stored = await rows('replies').countDocuments({ workspaceId: home.workspaceId })
  t.is(stored - before, queued.length)
  t.true(queued.length <= 30 && queued.length >= 20, `${queued.length}`)
  const [spent] = await rows('mail_allowances')
    .find({ _id: `workspace/${home.workspaceId}` })
    .toArray()
  t.is((spent?.spent as unknown[] | undefined)?.length, queued.length)
})

test('an address that bounces gets no more mail from this family, and other families can still write', async (t) => {
  const { f } = t.context
  const [home, other] = [await newFamily(t.context), await newFamily(t.context)]
  const messageId = await receive(t.context, home, 'gone@clinic.example')
  await reply(t.context, home.key, { messageId, body: 'Hello' })
  const stopped = await untilStopped(t.context, home)
  t.is(stopped?.reason, 'bounce')
  const refused = await reply(t.context, home.key, { messageId, body: 'Hello again' })
  t.true(isRefused(refused, /came back as undeliverable/), refused.text)
  const elsewhere = await receive(t.context, other, 'gone@clinic.example')
  const { json } = await reply(t.context, other.key, { messageId: elsewhere, body: 'Hello' })
  t.is(json.result.structuredContent?.status, 'queued')
  const metrics = await (await fetch(String(f.stack.metricsUrls.inbox))).text()
  t.regex(metrics, /^family_inbox_mail_reports_total\{kind="bounce"\} [1-9]/m)
  t.regex(metrics, /^family_inbox_replies_refused_total\{reason="bounce"\} [1-9]/m)
})

test('a full mailbox does not stop replies', async (t) => {
  const home = await newFamily(t.context)
  const messageId = await receive(t.context, home, 'full@clinic.example')
  const { json } = await reply(t.context, home.key, { messageId, body: 'Hello' })
  const { replyId } = json.result.structuredContent
  await until(async () => (await t.context.rows('deliveries').findOne({ _id: replyId }))?.state === 'failed')
  const again = await reply(t.context, home.key, { messageId, body: 'Hello again' })
  t.is(again.json.result.structuredContent?.status, 'queued', again.text)
})

async function untilStopped({ rows }: World, { workspaceId }: Home): Promise<Row | null> {
  await until(async () => (await rows('stopped_recipients').findOne({ workspaceId })) !== null)
  return rows('stopped_recipients').findOne({ workspaceId })
}

test('the operator can stop and resume a workspace’s replies and invitations', async (t) => {
  const { f, rows } = t.context
  const home = await newFamily(t.context)
  const messageId = await receive(t.context, home, 'desk@clinic.example')
  const invite = () => f.call(home.key, 'invite_family_member', { email: `guest${count}@b.example`, role: 'viewer' })
  t.is((await ops(f.stack, ['workspaces', 'stop', home.workspaceId])).code, 0)
  t.true(isRefused(await reply(t.context, home.key, { messageId, body: 'Hello' }), /right now/))
  t.true(isRefused(await invite(), /right now/))
  t.is(await rows('replies').countDocuments({ workspaceId: home.workspaceId }), 0)
  const metrics = await (await fetch(String(f.stack.metricsUrls.inbox))).text()
  t.regex(metrics, /^family_inbox_stopped_workspaces 1$/m)
  t.is((await ops(f.stack, ['workspaces', 'resume', home.workspaceId])).code, 0)
  const { json } = await reply(t.context, home.key, { messageId, body: 'Hello' })
  t.is(json.result.structuredContent?.status, 'queued')
  t.is((await invite()).json.result.structuredContent?.status, 'invited')
  t.not((await ops(f.stack, ['workspaces', 'stop', 'ws_nobody'])).code, 0)
})

test('too many invitations are refused in a tool result, not as a rate limit on calls', async (t) => {
  const home = await newFamily(t.context)
  const invite = (nth: number) => {
    const guest = { email: `guest${nth}@c.example`, role: 'viewer', idempotencyKey: `${nth}` }
    return untilToolAnswered(() => t.context.f.call(home.key, 'invite_family_member', guest))
  }
  // The coordinator was the first.
  for (let nth = 1; nth < INVITATIONS_PER_DAY; nth += 1) t.is((await invite(nth)).json.result.isError, undefined)
  const refused = await invite(INVITATIONS_PER_DAY)
  t.true(isRefused(refused, /^Too many invitations were sent today\. Try again in \d+ hours\.$/), refused.text)
  t.is(refused.headers['retry-after'], undefined)
})

test('a repeated reply without a key is sent and counted once, even when concurrent', async (t) => {
  const { sink, rows } = t.context
  const home = await newFamily(t.context)
  const messageId = await receive(t.context, home, 'unnamed@clinic.example')
  const ask = (key: string, args: object) => untilToolAnswered(() => reply(t.context, key, { messageId, ...args }))
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(home.key, { body: 'Thank you.' })))
  const [replyId, ...others] = new Set(answers.map(({ json }) => json.result.structuredContent.replyId))
  t.deepEqual(others, [])
  const [spent] = await rows('mail_allowances')
    .find({ _id: `person/${await ownerOf(t.context, home)}` })
    .toArray()
  t.is((spent?.spent as unknown[] | undefined)?.length, 1)
  const idOf = async (key: string, args: object) => (await ask(key, args)).json.result.structuredContent.replyId
  t.not(await idOf(home.key, { body: 'Another text.' }), replyId)
  t.not(await idOf(home.coordinator, { body: 'Thank you.' }), replyId)
  t.not(await idOf(home.key, { body: 'Thank you.', idempotencyKey: 'once more' }), replyId)
  const earlier = new Date(Date.now() - 11 * 60_000)
  await rows('replies').updateMany({ workspaceId: home.workspaceId }, { $set: { createdAt: earlier } })
  t.not(await idOf(home.key, { body: 'Thank you.' }), replyId)
  t.is((await sink.waitFor('unnamed@clinic.example', 5)).length, 5)
})

async function ownerOf({ f }: World, { key }: Home): Promise<string> {
  return (await f.call(key, 'ping')).json.result.structuredContent.callerId
}

test('while NATS is down, a reply without a key is stored as queued and sent once, even after a crash and a retry', async (t) => {
  await using f = await joinFamily('mortal')
  const { sink } = f
  const home = await newFamily({ f })
  const messageId = await receive({ f }, home, 'night@clinic.example')
  const ask = () => reply({ f }, home.key, { messageId, body: 'Good night.' })
  await f.stack.pause('nats-server')
  const first = await ask()
  t.is(first.json.result?.structuredContent?.status, 'queued', first.text)
  f.stack.kill('inbox')
  f.stack.resume('nats-server')
  await f.stack.waitReady()
  const again = await untilToolAnswered(ask)
  t.is(again.json.result.structuredContent.replyId, first.json.result.structuredContent.replyId)
  t.is((await sink.waitFor('night@clinic.example', 1, 30_000)).length, 1)
  await untilNoMailIsDue(f.stack, home.workspaceId)
  t.is((await sink.waitFor('night@clinic.example')).length, 1, 'the sweep does not send it again')
})

import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import type { Collection, MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Family, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { createRandom, scaled } from '../_random.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { callTool, mintKey, receive } from './_approval.ts'

type Row = { _id: string; state: string; replyId?: string; decidedAt?: Date }
type World = { f: Family; sink: Sink; mongo: MongoClient; proposals: Collection<Row>; key: string } & Presses
type Presses = { owner: Visitor; coordinator: Visitor; messageId: string }

const test = (anyTest as TestFn<World>).serial

const PRESSES = scaled(25, 250)
const KILLS = scaled(5, 100)
/** From the start of an approval to well after its answer. */
const MOST_MS = 120
const HEAD_START_MS = 40
const SENT_WITHIN_MS = 60_000

const MANY = {
  REPLIES_PER_NEW_WORKSPACE: '9999/9999',
  REPLIES_PER_PERSON: '9999/9999',
  REPLIES_PER_RECIPIENT: '9999/9999',
  REPLIES_TO_UNVERIFIED: '9999/9999',
  NOTIFICATION_DELAY_SECONDS: '1',
}

test.before(async ({ context }) => {
  context.sink = await startMailSink()
  context.f = await startFamily({ separate: ['inbox'], env: { SMTP_URL: context.sink.url, ...MANY } })
  const { f, sink } = context
  context.mongo = await openDatabase(f.stack, 'inbox')
  context.proposals = context.mongo.db().collection<Row>('reply_proposals')
  context.owner = await signIn(f, sink, f.family.people.owner)
  context.coordinator = await signIn(f, sink, f.family.people.coordinator)
  context.key = await mintKey(context.owner, 'approval')
  context.messageId = (await receive(f, 'desk@clinic.example')).messageId
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
  await context.sink?.[Symbol.asyncDispose]()
})

/** A reply that waits, with a word that names its mail. */
async function propose({ f, key, messageId, mongo }: World) {
  // A day has a limit, which is not the subject here.
  await mongo
    .db()
    .collection<{ _id: string }>('mail_allowances')
    .deleteMany({ _id: /^proposals\// as never })
  const word = `word${Math.random()}`.replace('.', '')
  const { data } = await callTool(f, key, 'reply_to_inbox_message', { messageId, body: `Once: ${word}` })
  return { id: String(data.proposalId), word }
}

type Proposal = { id: string; word: string }

const formOf = ({ id, word }: Proposal, decision: string) =>
  [`/approvals/replies/${id}`, { body: `Once: ${word}`, decision }] as const

/** Presses again when a busy machine answers 503, as a person who sees that does. */
const press = (visitor: Visitor, proposal: Proposal, decision = 'send') => visitor.insist(...formOf(proposal, decision))

const mailsWith = ({ sink }: World, word: string) => sink.mails.filter(({ raw }) => raw.includes(word))

const untilQuiet = ({ f }: World) => untilNoMailIsDue(f.stack, f.family.workspaceId)

async function untilMailed(world: World, word: string): Promise<void> {
  await waitFor(async () => mailsWith(world, word)[0], {
    timeoutMs: SENT_WITHIN_MS,
    timeout: () => new Error(`nothing arrived with ${word}`),
  })
}

/** A mail that was being sent at the kill may have arrived, so nobody sends it again and the family sees that. */
async function untilMailedOrUnknown(world: World, { id, word }: { id: string; word: string }) {
  const deliveries = world.mongo.db().collection<{ _id: string; state: string }>('deliveries')
  return waitFor(
    async () => {
      if (mailsWith(world, word).length > 0) return 'mailed'
      const { replyId = '' } = (await world.proposals.findOne({ _id: id })) ?? {}
      return (await deliveries.findOne({ _id: replyId, state: 'unknown' })) ? 'unknown' : undefined
    },
    { timeoutMs: SENT_WITHIN_MS, timeout: () => new Error(`${word} was lost`) },
  )
}

test('two members press Send at the same moment, again and again: one mail each', async (t) => {
  const { owner, coordinator } = t.context
  const words: string[] = []
  for (let nth = 0; nth < PRESSES; nth += 1) {
    const proposal = await propose(t.context)
    const answers = await Promise.all([press(owner, proposal), press(coordinator, proposal)])
    t.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    )
    words.push(proposal.word)
  }
  for (const word of words) await untilMailed(t.context, word)
  await untilQuiet(t.context)
  for (const word of words) t.is(mailsWith(t.context, word).length, 1, word)
})

test('one member sends and another declines at the same moment: what the page says is what happened', async (t) => {
  const { owner, coordinator } = t.context
  const random = createRandom()
  const ends: { word: string; isSent: boolean }[] = []
  let sentOnes = 0
  for (let nth = 0; nth < PRESSES; nth += 1) {
    const proposal = await propose(t.context)
    // Sending begins with more checks.
    const decline = () => sleep(random.between(0, HEAD_START_MS)).then(() => press(coordinator, proposal, 'decline'))
    const [sent, declined] = await Promise.all([press(owner, proposal), decline()])
    const isSent = sent.status === 303
    t.is(declined.status, isSent ? 422 : 303)
    if (isSent) await untilMailed(t.context, proposal.word)
    t.is(mailsWith(t.context, proposal.word).length, isSent ? 1 : 0)
    sentOnes += isSent ? 1 : 0
    ends.push({ word: proposal.word, isSent })
  }
  await untilQuiet(t.context)
  for (const { word, isSent } of ends) t.is(mailsWith(t.context, word).length, isSent ? 1 : 0, word)
  t.log(`${sentOnes} of ${PRESSES} were sent; seed ${random.seed}`)
})

test('inbox is killed at any moment of an approval: nothing is lost, and nothing is mailed twice', async (t) => {
  const { f, owner, coordinator, proposals } = t.context
  const random = createRandom()
  const found: Record<string, number> = {}
  const words: string[] = []
  for (let nth = 0; nth < KILLS; nth += 1) {
    const proposal = await propose(t.context)
    const pressed = owner.submit(...formOf(proposal, 'send')).catch(() => undefined)
    await sleep(random.between(0, MOST_MS))
    f.stack.kill('inbox')
    await pressed
    const { state = '' } = (await proposals.findOne({ _id: proposal.id })) ?? {}
    found[state] = (found[state] ?? 0) + 1
    await f.stack.waitReady()
    // A person who saw an error presses again; what was approved is sent without them.
    if (state === 'waiting') while ((await press(coordinator, proposal)).status !== 303) await sleep(200)
    const end = await untilMailedOrUnknown(t.context, proposal)
    found[end] = (found[end] ?? 0) + 1
    words.push(proposal.word)
  }
  await untilQuiet(t.context)
  for (const word of words) t.true(mailsWith(t.context, word).length <= 1, word)
  t.log(`after the kill: ${JSON.stringify(found)}; seed ${random.seed}`)
})

test('whatever an approval left behind, it is finished: approved, stored, or marked as sent', async (t) => {
  const { f, owner, proposals, mongo } = t.context
  const replies = mongo.db().collection<{ _id: string }>('replies')
  const long = new Date(Date.now() - 60_000)
  // As after a crash right after the approval.
  const approved = await propose(t.context)
  const decision = { state: 'approved', decidedBy: 'per_x', decidedByName: 'Luis', decidedAt: long }
  await proposals.updateOne({ _id: approved.id }, { $set: decision })
  await untilMailed(t.context, approved.word)
  // As after a crash before the proposal was marked, or before its reply was queued.
  const stored = await propose(t.context)
  t.is((await press(owner, stored)).status, 303)
  await untilMailed(t.context, stored.word)
  const row = await proposals.findOne({ _id: stored.id })
  await replies.updateOne({ _id: row?.replyId ?? '' }, { $unset: { mailQueuedAt: 1 }, $set: { createdAt: long } })
  await proposals.updateOne(
    { _id: stored.id },
    { $set: { state: 'approved', decidedAt: long }, $unset: { replyId: 1 } },
  )
  f.stack.kill('inbox')
  await waitFor(async () => (await proposals.findOne({ _id: stored.id, state: 'sent' })) ?? undefined, {
    timeoutMs: SENT_WITHIN_MS,
    timeout: () => new Error('the proposal is not marked as sent'),
  })
  await untilQuiet(t.context)
  for (const { word } of [approved, stored]) t.is(mailsWith(t.context, word).length, 1)
})

test('members who may send it get one notification for what waits, and viewers none', async (t) => {
  const { f, sink } = t.context
  const { coordinator: mayWrite, viewer } = f.family.people
  const isAbout = ({ headers }: { headers: string }) => /^Subject: .*waiting for approval/m.test(headers)
  for (const email of [mayWrite, viewer]) {
    const visitor = await signIn(f, sink, email)
    await visitor.submit('/settings/notifications', { mode: 'each', timeZone: 'UTC' })
  }
  await Promise.all([propose(t.context), propose(t.context)])
  const invited = { email: `aunt-${Math.random()}@example.org`, role: 'viewer' }
  await callTool(f, t.context.key, 'invite_family_member', invited)
  const [notification] = await waitFor(
    async () => {
      const found = sink.mails.filter((mail) => mail.to.includes(mayWrite) && isAbout(mail))
      return found.length > 0 ? found : undefined
    },
    { timeoutMs: SENT_WITHIN_MS, timeout: () => new Error('no notification came') },
  )
  t.regex(notification?.headers ?? '', /^Subject: \d things assistants wrote are waiting for approval/m)
  t.notRegex(notification?.raw ?? '', /Once: word|aunt-/)
  await untilQuiet(t.context)
  t.false(sink.mails.some((mail) => mail.to.includes(viewer) && isAbout(mail)))
})

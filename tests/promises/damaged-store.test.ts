import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import { send } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { createRandom, type Random } from '../_random.ts'
import { type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'
import { type Damage, damageStore, flipBits, MESSAGES, truncate } from './_damage.ts'

type World = { pipe: PipeWorld; sink: Sink; random: Random }

const test = (anyTest as TestFn<World>).serial

const SETTLED_MS = 120_000
const EVENTS = 24
const REPLIES = 3

let isBusy = false

test.before(async ({ context, log }) => {
  context.random = createRandom()
  log(`TEST_SEED=${context.random.seed}`)
  context.sink = await startMailSink(() => (isBusy ? { code: 451, text: 'Busy' } : undefined))
  context.pipe = await startPipeWorld({ processes: 'seven', env: { SMTP_URL: context.sink.url } })
})
test.after.always(async ({ context: { pipe, sink } }) => {
  await pipe?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

const DAMAGES: Record<string, { damage: Damage; named: RegExp; isRunning?: true }> = {
  'bits are flipped in': { damage: flipBits, named: MESSAGES },
  'bits are flipped, while it runs, in': { damage: flipBits, named: MESSAGES, isRunning: true },
  'the end is cut off': { damage: truncate, named: MESSAGES },
  'the description is damaged in': { damage: flipBits, named: /\/streams\/\w+\/meta\.inf$/ },
}

for (const [what, { damage, named, isRunning = false }] of Object.entries(DAMAGES))
  test(`after ${what} the files of the only NATS server, accepted events come back, and lost mail is marked unknown`, async (t) => {
    const { pipe, random } = t.context
    const { stack } = pipe
    const agency = await pipe.addAgency()
    const subject = await pipe.link(agency)
    const post = async () => (await agency.post(agency.event(subject))).json.event_id as string
    const shown = [await post(), await post()]
    await pipe.untilOnTimeline(shown)
    isBusy = true
    const replies = await queueReplies(t.context, what)
    await stack.pause('care-circle')
    const waiting: string[] = []
    for (let nth = 0; nth < EVENTS; nth += 1) waiting.push(await post())
    if (!isRunning) await stack.pause('nats-server')
    t.true(damageStore(stack, 'nats-server', damage, random, named) > 0)
    stack.kill('nats-server')
    stack.resume('care-circle')
    isBusy = false
    const later = [await post(), await post()]
    const all = [...shown, ...waiting, ...later]
    await waitFor(async () => isSubset(all, await pipe.timelineIds()) || undefined, {
      timeoutMs: SETTLED_MS,
      timeout: () => new Error('accepted events are missing'),
    })
    const ids = await pipe.timelineIds()
    t.deepEqual(
      all.filter((id) => ids.filter((one) => one === id).length !== 1),
      [],
    )
    const lost = await expectSentOrUnknown(t.context, replies)
    t.true((await mailsReportedUnknown(t.context)) >= lost, 'no alarm')
  })

function isSubset(some: string[], all: string[]): boolean {
  const there = new Set(all)
  return some.every((one) => there.has(one))
}

/** Their recipient’s server is busy, so they wait in the queue. @returns their texts by id */
async function queueReplies({ pipe }: World, what: string): Promise<Map<string, string>> {
  const { owner } = pipe.family.keys
  const list = await pipe.call(owner, 'list_inbox_messages', { lovedOneId: pipe.lovedOneId })
  const messageId = list.json.result.structuredContent.messages[0].id
  const replies = new Map<string, string>()
  for (let nth = 0; nth < REPLIES; nth += 1) {
    const body = `Reply ${nth}: ${what}.`
    const { json } = await pipe.call(owner, 'reply_to_inbox_message', { messageId, body })
    replies.set(json.result.structuredContent.replyId, body)
  }
  return replies
}

/** @returns how many are marked unknown: none if the sender had taken them from the queue before */
async function expectSentOrUnknown({ pipe, sink }: World, replies: Map<string, string>): Promise<number> {
  await using client = await openDatabase(pipe.stack, 'inbox')
  const deliveries = client.db().collection<{ _id: string; state: string }>('deliveries')
  const ended = { _id: { $in: [...replies.keys()] }, state: { $in: ['sent', 'unknown'] } }
  await waitFor(async () => (await deliveries.countDocuments(ended)) === REPLIES || undefined, {
    timeoutMs: SETTLED_MS,
    timeout: () => new Error('a reply is neither sent nor unknown'),
  })
  let unknown = 0
  for await (const { _id, state } of deliveries.find(ended)) {
    if (state === 'unknown') unknown += 1
    const times = sink.mails.filter(({ raw }) => raw.includes(replies.get(_id) ?? '')).length
    if (times !== (state === 'sent' ? 1 : 0)) throw new Error(`a reply marked ${state} arrived ${times} times`)
  }
  return unknown
}

/** The operator’s alarm MailMayBeUnsent counts these. */
async function mailsReportedUnknown({ pipe }: World): Promise<number> {
  const { text } = await send(pipe.stack.metricsUrls.inbox ?? '')
  return Number(/^family_inbox_mail_sent_total\{[^}]*state="unknown"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

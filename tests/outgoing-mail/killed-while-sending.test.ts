import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import type { Collection, MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Family, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'

type Delivery = { _id: string; state: string; attempts: number }
type World = { f: Family; sink: Sink; mongo: MongoClient; deliveries: Collection<Delivery> }

const test = (anyTest as TestFn<World>).serial

/** How the other mail server currently responds. */
let answerOf: Parameters<typeof startMailSink>[0]

test.before(async ({ context }) => {
  context.sink = await startMailSink((mail, tries) => answerOf?.(mail, tries))
  context.f = await startFamily({ separate: ['inbox'], env: { SMTP_URL: context.sink.url } })
  context.mongo = await openDatabase(context.f.stack, 'inbox')
  context.deliveries = context.mongo.db().collection<Delivery>('deliveries')
})
test.afterEach.always(() => {
  answerOf = undefined
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
  await context.sink?.[Symbol.asyncDispose]()
})

/** Replies to the newest message. @returns the id of the reply, which is also its mail's */
async function reply({ f }: World, body: string): Promise<string> {
  const key = f.family.keys.owner
  const list = await f.call(key, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id })
  const messageId = list.json.result.structuredContent.messages[0].id
  const answer = await f.call(key, 'reply_to_inbox_message', { messageId, body })
  return answer.json.result.structuredContent.replyId
}

async function untilDelivery({ deliveries }: World, _id: string, wanted: Partial<Delivery>): Promise<void> {
  await waitFor(async () => (await deliveries.findOne({ _id, ...wanted })) ?? undefined, {
    timeoutMs: 60_000,
    timeout: () => new Error(`the delivery is not ${JSON.stringify(wanted)}`),
  })
}

test('a reply is marked unknown and not resent if inbox is killed while waiting for the other server', async (t) => {
  const { f } = t.context
  let arrivals = 0
  const [arrived, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  answerOf = async ({ raw }) => {
    if (!raw.includes('Once only.')) return undefined
    arrivals += 1
    arrived.resolve()
    await killed.promise
    return undefined
  }
  const replyId = await reply(t.context, 'Once only.')
  await arrived.promise
  f.stack.kill('inbox')
  killed.resolve()
  await untilDelivery(t.context, replyId, { state: 'unknown' })
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is(arrivals, 1)
})

test('replies in a lost queue are marked unknown and not sent; later replies are sent', async (t) => {
  const { f, sink } = t.context
  const { stack } = f
  await stack.waitReady()
  answerOf = () => ({ code: 451, text: 'Busy' })
  const lost = await reply(t.context, 'Waits.')
  await untilDelivery(t.context, lost, { state: 'queued', attempts: 1 })
  await rm(join(stack.dataDir, 'nats-server', 'jetstream'), { recursive: true })
  for (const name of ['nats-server', 'inbox'] as const) stack.kill(name)
  await untilDelivery(t.context, lost, { state: 'unknown' })
  answerOf = undefined
  const later = await reply(t.context, 'It continues.')
  await untilDelivery(t.context, later, { state: 'sent' })
  await untilNoMailIsDue(stack, f.family.workspaceId)
  const bodies = sink.mails.map(({ raw }) => raw)
  t.is(bodies.filter((raw) => raw.includes('It continues.')).length, 1)
  t.false(bodies.some((raw) => raw.includes('Waits.')))
})

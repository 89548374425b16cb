import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { startStack } from '@family-inbox/local-stack/stack'
import { consumeStream } from '@family-inbox/service-kit/nats/consume-stream'
import { ensureStream } from '@family-inbox/service-kit/nats/nats'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import anyTest, { type TestFn } from 'ava'
import { connect, type NatsConnection, nanos } from 'nats'
import { announceRemoval, consumeRemovals, REMOVAL_STREAM } from '../../packages/workspace-kit/src/removals.ts'
import { until } from '../_wait.ts'

const test = anyTest as TestFn<{ stack: Stack; nats: NatsConnection }>

test.before(async (t) => {
  const stack = await startStack({ services: [] })
  t.context = { stack, nats: await connect({ servers: stack.natsUrl, ...natsLogin(stack.opsKey) }) }
})
test.after.always(async (t) => {
  await t.context.nats?.close()
  await t.context.stack?.[Symbol.asyncDispose]()
})

test('an existing stream gets a new configuration and keeps its messages', async (t) => {
  const { nats } = t.context
  const config = { name: 'NEWS', subjects: ['news.>'] }
  await ensureStream(nats, config)
  await nats.jetstream().publish('news.one')
  await ensureStream(nats, { ...config, subjects: ['news.>', 'olds.>'], max_age: nanos(3_600_000) })
  const { streams } = await nats.jetstreamManager()
  const info = await streams.info('NEWS')
  t.deepEqual(info.config.subjects, ['news.>', 'olds.>'])
  t.is(info.state.messages, 1)
  await t.throwsAsync(ensureStream(nats, { ...config, storage: 'memory' as never }), { name: 'NatsError' })
})

test('a removal is delivered once more much later, and not repeatedly until then', async (t) => {
  const { nats } = t.context
  const { privateKeys, publicKeys } = await identityKeys(t.context.stack.dataDir)
  const identity = await createIdentity(privateKeys['care-circle'], publicKeys)
  const removals = { connection: Promise.resolve(nats), natsReplicas: 1, identity }
  const forgotten: string[] = []
  const handlers = { workspace: async (id: string) => void forgotten.push(id) }
  await using _ = consumeRemovals({ ...removals, service: 'test', logger: createLogger('test', 'error'), handlers })
  await announceRemoval(removals, 'workspace', 'ws_one')
  await announceRemoval(removals, 'workspace', 'ws_two')
  await until(async () => forgotten.length === 2)
  // It goes through the same connection as their negative acknowledgements. Redeliveries come before new messages.
  await announceRemoval(removals, 'workspace', 'ws_three')
  await until(async () => forgotten.includes('ws_three'))
  t.deepEqual(forgotten, ['ws_one', 'ws_two', 'ws_three'])
  const { consumers } = await nats.jetstreamManager()
  const { delivered, num_ack_pending } = await consumers.info(REMOVAL_STREAM, 'test-removals')
  t.is(delivered.consumer_seq, 3)
  t.is(num_ack_pending, 3)
})

test('a service that stops while it starts reading a stream leaves no reader behind', async (t) => {
  const { nats } = t.context
  await ensureStream(nats, { name: 'LATE', subjects: ['late.>'] })
  const handledBy: string[] = []
  const read = (consumer: string, prepared: Promise<void>) =>
    consumeStream({
      connection: Promise.resolve(nats),
      stream: 'LATE',
      ensure: () => prepared,
      consumer,
      rules: {},
      ackWaitMs: 30_000,
      concurrency: 1,
      handle: async () => void handledBy.push(consumer),
      failureMessage: 'reading the late messages failed',
      retryMs: 100,
      logger: createLogger('test', 'error'),
    })
  const { promise: prepared, resolve: prepare } = Promise.withResolvers<void>()
  await read('late', prepared)[Symbol.asyncDispose]()
  prepare()
  const { consumers } = await nats.jetstreamManager()
  await until(async () => (await consumers.list('LATE').next()).length === 1)
  // Whoever starts after it, and takes the same steps over the same connection, asks for messages after it.
  await using _next = read('next', Promise.resolve())
  await nats.jetstream().publish('late.one')
  await until(async () => handledBy.length > 0)
  t.deepEqual(handledBy, ['next'])
  const { num_waiting, delivered } = await consumers.info('LATE', 'late')
  t.is(num_waiting, 0)
  t.is(delivered.consumer_seq, 0)
})

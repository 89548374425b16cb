import { startStack } from '@family-inbox/local-stack/stack'
import { ensureStream } from '@family-inbox/service-kit/nats'
import test from 'ava'
import { connect, nanos } from 'nats'

test('a stream that is there is brought to a new configuration, and keeps what is in it', async (t) => {
  await using stack = await startStack({ services: [] })
  const nats = await connect({ servers: stack.natsUrl })
  const config = { name: 'NEWS', subjects: ['news.>'] }
  await ensureStream(nats, config)
  await nats.jetstream().publish('news.one')
  await ensureStream(nats, { ...config, subjects: ['news.>', 'olds.>'], max_age: nanos(3_600_000) })
  const { streams } = await nats.jetstreamManager()
  const info = await streams.info('NEWS')
  t.deepEqual(info.config.subjects, ['news.>', 'olds.>'])
  t.is(info.state.messages, 1)
  await t.throwsAsync(ensureStream(nats, { ...config, storage: 'memory' as never }), { name: 'NatsError' })
  await nats.close()
})

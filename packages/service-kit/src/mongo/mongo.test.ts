import test from 'ava'
import { createClient } from './mongo.ts'

type Internals = { s: { servers: Map<string, { pool: { options: Record<string, unknown> } }> } }

test('an idle connection pool is checked rarely, an option the driver keeps to itself', async (t) => {
  const client = createClient('mongodb://127.0.0.1:1/test?replicaSet=rs0', false)
  const connecting = client.connect()
  const { s } = (client as unknown as { topology: Internals }).topology
  const [server] = s.servers.values()
  t.is(server?.pool.options.minPoolSizeCheckFrequencyMS, 5000)
  t.is(server?.pool.options.maxPoolSize, 32)
  await t.throwsAsync(connecting, { name: 'MongoServerSelectionError' })
  await client.close()
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { connect } from 'nats'
import { hostsOf } from './mongo-uri.ts'
import { parseReplicaName, replicaName } from './replicas.ts'
import type { ProcessName, Stack } from './run-stack.ts'
import { startStack } from './stack.ts'
import { waitFor } from './wait-for.ts'

test('replicas are numbered from the second', (t) => {
  for (const base of ['auth', 'care-circle', 'nats-server'])
    for (const nth of [0, 1, 2]) t.deepEqual(parseReplicaName(replicaName(base, nth)), { base, nth })
  t.is(replicaName('auth', 1), 'auth-2')
})

test('three servers of each store hold everything, without the primary and after a restart', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-replicas-'))
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => rm(dataDir, { recursive: true }))
  const options = { services: [], isReplicated: true, dataDir, env: { MONGODB_URI: undefined, NATS_URL: undefined } }
  const first = cleanUp.use(await startStack(options))
  await using client = await MongoClient.connect(first.mongoUri)
  await insert(client, 'before')
  first.kill(await primaryOf(client, first))
  await insert(client, 'after')
  await client.close()
  const nats = await connect({ servers: first.natsUrl.split(',') }).catch((error) => String(error))
  t.is(nats, "NatsError: 'Authorization Violation'")
  await first.stop()

  await using second = await startStack(options)
  await using again = await MongoClient.connect(second.mongoUri)
  t.deepEqual(await ids(again), ['after', 'before'])
})

type Kept = { _id: string }

/** Insists until a majority has it: during an election, a write can fail more than once. */
async function insert(client: MongoClient, _id: string): Promise<void> {
  const kept = client.db('test').collection<Kept>('kept')
  const write = { $set: { _id } }
  const options = { upsert: true, writeConcern: { w: 'majority', journal: true } } as const
  await waitFor(() => kept.updateOne({ _id }, write, options).catch(() => undefined), {
    timeoutMs: 60_000,
    timeout: () => new Error(`${_id} is not written`),
  })
}

async function ids(client: MongoClient): Promise<string[]> {
  const rows = await client.db('test').collection<Kept>('kept').find().sort({ _id: 1 }).toArray()
  return rows.map(({ _id }) => _id)
}

async function primaryOf(client: MongoClient, { mongoUri }: Stack): Promise<ProcessName> {
  const { primary } = await client.db('admin').command({ hello: 1 })
  return replicaName('mongod', hostsOf(mongoUri).indexOf(primary)) as ProcessName
}

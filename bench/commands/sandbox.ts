import { join } from 'node:path'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import type { Bucket } from '@family-inbox/sandbox/models/bucket'
import { MongoClient } from 'mongodb'
import { operatorUri } from '../../tests/_database.ts'
import { type StartSample, type StartServer, startStartLoad } from '../load/measure-starts.ts'
import { startWorker } from '../load/worker.ts'
import { shuffled } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import type { SandboxDatabases } from '../peers/bare-starts.ts'
import { processesNamed, processNamed } from '../peers/peer.ts'
import { startTable, summariseStarts } from '../report/start-table.ts'

const WARM_UP_SECONDS = 2
const OURS: ProcessName[] = ['gateway', 'sandbox', 'care-circle', 'inbox', 'nats-server', 'mongod']
/** One network has no token left, the other as many as it can use. */
const [REFUSED, ADMITTED] = ['203.0.113.1', '203.0.113.2']
const CAPACITY = 1_000_000
const LIFTED = { SANDBOX_BUCKET_CAPACITY: `${CAPACITY}`, SANDBOX_REFILL_SECONDS: '1', TRUSTED_PROXIES: '1' }

/** Starts of workspaces: ours, one bare Express handler with the same rows in one transaction, and calls refused by an empty bucket. */
export async function benchSandbox({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack({ env: LIFTED })
  const databases: SandboxDatabases = {
    sandbox: operatorUri(stack, 'sandbox'),
    careCircle: operatorUri(stack, 'care-circle'),
    inbox: operatorUri(stack, 'inbox'),
  }
  const file = join(import.meta.dirname, '../peers/bare-starts.ts')
  const { worker: bare, hello } = await startWorker<never, never, { port: number }>(file, databases)
  await using _bare = bare
  await using load = await startStartLoad()
  const ours = ourServer(stack)
  const refused: StartServer = { ...ours, name: 'refused', from: REFUSED, status: 429 }
  const servers: StartServer[] = [ours, refused, bareServer(stack, hello.port, bare.pid)]

  await load.measure({ ...ours, from: REFUSED }, 0.1)
  await emptyAllBuckets(databases.sandbox)
  for (const server of servers) await load.measure(server, WARM_UP_SECONDS)
  const samples: StartSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const server of shuffled(servers))
      samples.push({ round, ...(await quietly(() => load.measure(server, seconds))) })
  }
  const summary = summariseStarts(samples)
  say(startTable(summary))
  return { summary, samples }
}

function ourServer(stack: Stack): StartServer {
  const { host, port } = new URL(stack.inboxUrl)
  return {
    name: 'ours',
    origin: `http://127.0.0.1:${port}`,
    host,
    path: '/api/mcp/public',
    from: ADMITTED,
    status: 200,
    processes: processesNamed(stack, OURS),
  }
}

function bareServer(stack: Stack, port: number, pid: number): StartServer {
  return {
    name: 'bare',
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    path: '/',
    from: ADMITTED,
    status: 200,
    processes: { bare: pid, ...processNamed(stack, 'mongod') },
  }
}

/** Every network that has started a workspace has no token for a day. */
async function emptyAllBuckets(uri: string): Promise<void> {
  await using client = Object.assign(new MongoClient(uri), { [Symbol.asyncDispose]: () => client.close() })
  const buckets = client.db(new URL(uri).pathname.slice(1)).collection<Bucket>('buckets')
  await buckets.updateMany({}, { $set: { fullAt: new Date(Date.now() + (CAPACITY + 86_400) * 1000) } })
}

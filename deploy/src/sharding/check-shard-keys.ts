// `SHARD_KEYS=check npm test -- <files>`: what a router of a sharded cluster would make of each command that the services sent.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { MongoClient } from 'mongodb'
import { everyCollection, type StoredCollection } from './collections.ts'
import { commandsIn, type Logged, TEST_CLIENT } from './read-commands.ts'
import { type Routed, reportOf } from './report.ts'
import { routeOf } from './route.ts'

const SETTING = 'SHARD_KEYS'

/** Each stack has databases of its own: `<8 letters>_inbox`. */
const PREFIX = /^[0-9a-z]{8}_/

/** The check of what runs on this mongod from now on; undefined unless it was asked for. Disposing prints what it found. */
export async function checkShardKeys(stores: Stack, say: (line: string) => void): Promise<AsyncDisposable | undefined> {
  if (process.env[SETTING] !== 'check') return undefined
  const { MongoClient } = await import('mongodb')
  const client = await MongoClient.connect(stores.mongoUri, { appName: TEST_CLIENT })
  await logEveryCommand(client)
  const collections = await everyCollection()
  return {
    async [Symbol.asyncDispose]() {
      const misplaced = await rowsWithoutKey(client, collections)
      await client.db('admin').command({ profile: 0, slowms: 100, sampleRate: 0 })
      await client.close()
      const routed = await readRoutes(stores.logs('mongod'), collections)
      for (const line of reportOf(routed, misplaced)) say(line)
    },
  }
}

/** As slow ones, whole. */
async function logEveryCommand(client: MongoClient): Promise<void> {
  const admin = client.db('admin')
  await admin.command({ setParameter: 1, maxLogSizeKB: 0 })
  await admin.command({ profile: 0, slowms: -1, sampleRate: 1 })
}

async function readRoutes(logFile: string, collections: readonly StoredCollection[]): Promise<Routed[]> {
  const known = new Map(collections.map((one) => [`${one.database}.${one.name}`, one]))
  const routed: Routed[] = []
  for await (const line of createInterface({ input: createReadStream(logFile) }))
    for (const command of commandsIn(line)) {
      const stored = known.get(nameOf(command))
      const shardKey = stored?.sharding.shardKey
      if (stored && shardKey) routed.push({ name: nameOf(command), command, route: routeOf(shardKey, command) })
    }
  return routed
}

function nameOf({ database, collection }: Pick<Logged, 'database' | 'collection'>): string {
  return `${database.replace(PREFIX, '')}.${collection}`
}

/** Rows that no key would place: without a family, or with an id that does not begin with one. By collection. */
async function rowsWithoutKey(client: MongoClient, collections: readonly StoredCollection[]) {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  const counts = new Map<string, number>()
  for (const { database, name, sharding } of collections) {
    const { shardKey } = sharding
    if (shardKey === undefined || 'global' in sharding) continue
    const wrong = 'workspaceId' in shardKey ? { workspaceId: { $not: /^ws_/ } } : { _id: { $not: /^ws_/ } }
    for (const stack of databases.filter((one) => one.name.replace(PREFIX, '') === database)) {
      const found = await client
        .db(stack.name)
        .collection(name)
        .countDocuments(wrong as object)
      if (found > 0) counts.set(`${database}.${name}`, (counts.get(`${database}.${name}`) ?? 0) + found)
    }
  }
  return counts
}

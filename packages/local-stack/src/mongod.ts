import { mkdirSync } from 'node:fs'
import type { Db, Document } from 'mongodb'
import { isListening } from './free-port.ts'
import { type Supervised, supervise, type Watcher } from './supervise.ts'
import { waitFor } from './wait-for.ts'

const REPLICA_SET = 'rs0'
const NOT_YET_INITIALIZED = 94
const RECOVERY_MS = 60_000
const TIMEOUTS = { serverSelectionTimeoutMS: RECOVERY_MS, connectTimeoutMS: 2000 }

export type MongodOptions = {
  readonly binary: string
  readonly dir: string
  readonly port: number
  readonly logFile: string
  readonly cacheSizeGb?: number
  readonly watch?: Watcher
}

export type RunningMongod = AsyncDisposable & { readonly uri: string; readonly process: Supervised }

/** Starts mongod as a one-member replica set; resolves when it is writable. @throws when mongod keeps exiting */
export async function startMongod(options: MongodOptions): Promise<RunningMongod> {
  const process = superviseMongod(options)
  try {
    await mongodReady(process, options.port)
  } catch (error) {
    await process.stop({ signal: 'SIGKILL' })
    throw error
  }
  return { uri: mongodUri(options.port), process, [Symbol.asyncDispose]: () => process.stop() }
}

export function superviseMongod(options: MongodOptions): Supervised {
  mkdirSync(options.dir, { recursive: true })
  const { binary: file, logFile, watch } = options
  return supervise({ name: 'mongod', file, args: argumentsOf(options), logFile }, watch)
}

/** Initializes or updates the replica set; resolves when the process is a writable primary. */
export async function mongodReady(process: Supervised, port: number): Promise<void> {
  // Imported here, so that it loads while mongod starts.
  const { MongoClient } = await import('mongodb')
  await waitFor(async () => (await isListening(port)) || failIfDown(process), waitOptions(process))
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/`, { directConnection: true, ...TIMEOUTS })
  await becomePrimary(client.db('admin'), `127.0.0.1:${port}`, process).finally(() => client.close())
}

export function mongodUri(port: number): string {
  return `mongodb://127.0.0.1:${port}/?replicaSet=${REPLICA_SET}`
}

function argumentsOf({ dir, port, cacheSizeGb = 0.5 }: MongodOptions): string[] {
  return [
    ['--replSet', REPLICA_SET],
    ['--bind_ip', '127.0.0.1', '--port', `${port}`, '--nounixsocket'],
    ['--dbpath', dir, '--quiet', '--oplogSize', '256', '--wiredTigerCacheSizeGB', `${cacheSizeGb}`],
    ['--wiredTigerEngineConfigString', 'log=(prealloc=false,file_max=64MB)'],
    ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // Entries for slow operations quote the query, with names and addresses.
    ['--slowOpSampleRate', '0'],
    // Transactions of a killed process block others for 5 s instead of a minute.
    ['--setParameter', 'transactionLifetimeLimitSeconds=5'],
    // Expired documents are deleted within seconds instead of a minute.
    ['--setParameter', 'ttlMonitorSleepSecs=5'],
    // No other member can take over, so do not wait 15 s for one.
    ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ].flat()
}

async function becomePrimary(admin: Db, host: string, process: Supervised) {
  const config = await currentConfig(admin)
  if (!config) {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } })
  } else if (config.members[0].host !== host) {
    const members = [{ ...config.members[0], host }]
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true })
  }
  await waitFor(async () => {
    const { isWritablePrimary } = await admin.command({ hello: 1 })
    return isWritablePrimary || failIfDown(process)
  }, waitOptions(process))
}

async function currentConfig(admin: Db): Promise<Document | undefined> {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config
  } catch (error) {
    if ((error as { code?: number }).code === NOT_YET_INITIALIZED) return undefined
    throw error
  }
}

function failIfDown(process: Supervised): undefined {
  if (process.stopped) throw new Error('mongod was stopped')
  if (process.deaths >= 3) throw new Error(`mongod keeps exiting; see ${process.logFile}`)
}

function waitOptions(process: Supervised) {
  return {
    timeoutMs: RECOVERY_MS,
    everyMs: 10,
    timeout: () => new Error(`mongod is not writable after ${RECOVERY_MS / 1000} s; see ${process.logFile}`),
  }
}

import { mkdirSync } from 'node:fs'
import { withUser } from './mongo-uri.ts'
import type { MongodAccess } from './mongod-users.ts'
import { mongodUri, REPLICA_SET, replicaSetReady } from './replica-set.ts'
import { type Supervised, supervise, type Watcher } from './supervise.ts'

export type MongodOptions = {
  readonly binary: string
  readonly dir: string
  readonly port: number
  readonly logFile: string
  /** Default: `mongod`. */
  readonly name?: string
  readonly cacheSizeGb?: number
  /** Without it anyone may do anything. */
  readonly access?: MongodAccess
  /** More arguments, such as for a test that reads its files. */
  readonly args?: readonly string[]
  readonly watch?: Watcher
}

export type RunningMongod = AsyncDisposable & { readonly uri: string; readonly process: Supervised }

/** Starts mongod as a one-member replica set; resolves when it is writable. @throws when mongod keeps exiting */
export async function startMongod(options: MongodOptions): Promise<RunningMongod> {
  const { port, access } = options
  const process = superviseMongod(options)
  try {
    await replicaSetReady([{ process, port, reachedAt: port }], access)
  } catch (error) {
    await process.stop({ signal: 'SIGKILL' })
    throw error
  }
  const uri = access ? withUser(mongodUri([port]), access.operator) : mongodUri([port])
  return { uri, process, [Symbol.asyncDispose]: () => process.stop() }
}

export function superviseMongod(options: MongodOptions): Supervised {
  mkdirSync(options.dir, { recursive: true })
  const { name = 'mongod', binary: file, logFile, watch } = options
  return supervise({ name, file, args: argumentsOf(options), logFile }, watch)
}

function argumentsOf({ dir, port, cacheSizeGb = 0.5, access, args = [] }: MongodOptions): string[] {
  return [
    ['--replSet', REPLICA_SET],
    ['--bind_ip', '127.0.0.1', '--port', `${port}`, '--nounixsocket'],
    ...(access ? accessArguments(access) : []),
    // Nobody needs it here, and in 6.0.5 it shows anyone parts of the memory (CVE-2025-14847).
    ['--networkMessageCompressors', 'disabled'],
    ['--dbpath', dir, '--quiet', '--oplogSize', '256', '--wiredTigerCacheSizeGB', `${cacheSizeGb}`],
    ['--wiredTigerEngineConfigString', 'log=(prealloc=false,file_max=64MB)'],
    ['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // Entries for slow operations quote the query, with names and addresses.
    ['--slowOpSampleRate', '0'],
    // Transactions of a killed process block others for 5 s instead of a minute.
    ['--setParameter', 'transactionLifetimeLimitSeconds=5'],
    // Expired documents are deleted within seconds instead of a minute.
    ['--setParameter', 'ttlMonitorSleepSecs=15'],
    // No other member can take over, so do not wait 15 s for one.
    ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    args,
  ].flat()
}

function accessArguments({ key: { file } }: MongodAccess): string[][] {
  return [
    ['--keyFile', file],
    // Nobody can come before us to create the first user.
    ['--setParameter', 'enableLocalhostAuthBypass=false'],
    // The least that is allowed. More rounds slow down guessing, and nobody guesses 32 random bytes.
    ['--setParameter', 'scramSHA256IterationCount=5000'],
  ]
}

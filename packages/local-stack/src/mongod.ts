import { mkdirSync } from 'node:fs'
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
  readonly watch?: Watcher
}

export type RunningMongod = AsyncDisposable & { readonly uri: string; readonly process: Supervised }

/** Starts mongod as a one-member replica set; resolves when it is writable. @throws when mongod keeps exiting */
export async function startMongod(options: MongodOptions): Promise<RunningMongod> {
  const { port } = options
  const process = superviseMongod(options)
  try {
    await replicaSetReady([{ process, port, reachedAt: port }])
  } catch (error) {
    await process.stop({ signal: 'SIGKILL' })
    throw error
  }
  return { uri: mongodUri([port]), process, [Symbol.asyncDispose]: () => process.stop() }
}

export function superviseMongod(options: MongodOptions): Supervised {
  mkdirSync(options.dir, { recursive: true })
  const { name = 'mongod', binary: file, logFile, watch } = options
  return supervise({ name, file, args: argumentsOf(options), logFile }, watch)
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
    ['--setParameter', 'ttlMonitorSleepSecs=15'],
    // No other member can take over, so do not wait 15 s for one.
    ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ].flat()
}

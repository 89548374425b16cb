import type { Db, Document, MongoClient } from 'mongodb'
import { isListening } from './free-port.ts'
import { keepUsers, type MongodAccess, systemLogin } from './mongod-users.ts'
import type { Supervised } from './supervise.ts'
import { waitFor } from './wait-for.ts'

export const REPLICA_SET = 'rs0'
const NOT_YET_INITIALIZED = 94
const ALREADY_INITIALIZED = 23
const RECOVERY_MS = 60_000
const DIRECT = { directConnection: true, serverSelectionTimeoutMS: RECOVERY_MS, connectTimeoutMS: 2000 }
// MongoDB's defaults are 10 s and 2 s: another member takes over sooner here.
const ELECTION = { electionTimeoutMillis: 4000, heartbeatIntervalMillis: 1000 }

/** A mongod, and the port at which clients and the other members reach it. */
export type MongodMember = { readonly process: Supervised; readonly port: number; readonly reachedAt: number }

/** Initializes or updates the replica set; resolves when one member is a writable primary and has the users. */
export async function replicaSetReady(members: readonly MongodMember[], access?: MongodAccess): Promise<void> {
  // Imported here, so that it loads while mongod starts.
  const { MongoClient } = await import('mongodb')
  const isUp = async ({ process, port }: MongodMember) => (await isListening(port)) || failIfDown(process)
  await Promise.all(members.map((member) => waitFor(() => isUp(member), waitOptions(members))))
  const clients = members.map(
    ({ port }) =>
      new MongoClient(`mongodb://127.0.0.1:${port}/`, { ...DIRECT, ...(access && systemLogin(access.key)) }),
  )
  const untilAnswered = <T>(ask: () => Promise<T | undefined>) =>
    waitFor(async () => (await unlessDisconnected(ask)) ?? failIfDown(...processesOf(members)), waitOptions(members))
  try {
    await untilAnswered(() => configure((clients[0] as MongoClient).db('admin'), members))
    const primary = await untilAnswered(() => primaryOf(clients))
    if (access) await keepUsers(primary, [access.operator, ...Object.values(access.services)])
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}

export function mongodUri(ports: readonly number[]): string {
  return `mongodb://${ports.map((port) => `127.0.0.1:${port}`).join()}/?replicaSet=${REPLICA_SET}`
}

/** mongod closes every connection when it finds that no member has its port: a moment after it listens on another one. */
async function unlessDisconnected<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if ((error as Error).name === 'MongoNetworkError') return undefined
    throw error
  }
}

/** Can be repeated after any failure. @returns the configuration */
async function configure(admin: Db, wanted: readonly MongodMember[]): Promise<Document> {
  const members = wanted.map(({ reachedAt }, _id) => ({ _id, host: `127.0.0.1:${reachedAt}` }))
  const found = (await currentConfig(admin)) ?? (await initiate(admin, members))
  if (members.every(({ host }, index) => found.members[index]?.host === host)) return found
  const config = { ...found, version: found.version + 1, members }
  await admin.command({ replSetReconfig: config, force: true })
  return config
}

/** @returns the configuration: that of an earlier start, if mongod knows it by now, which takes it a moment after it listens */
export async function initiate(admin: Db, members: readonly { _id: number; host: string }[]): Promise<Document> {
  const settings = members.length > 1 && { settings: ELECTION }
  try {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members, ...settings } })
  } catch (error) {
    if (codeOf(error) !== ALREADY_INITIALIZED) throw error
  }
  return waitFor(() => currentConfig(admin), {
    timeoutMs: RECOVERY_MS,
    timeout: () => new Error('mongod knows no configuration of its replica set'),
  })
}

async function currentConfig(admin: Db): Promise<Document | undefined> {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config
  } catch (error) {
    if (codeOf(error) === NOT_YET_INITIALIZED) return undefined
    throw error
  }
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code
}

async function primaryOf(clients: readonly MongoClient[]): Promise<MongoClient | undefined> {
  const answers = await Promise.all(clients.map((client) => client.db('admin').command({ hello: 1 })))
  return clients[answers.findIndex(({ isWritablePrimary }) => isWritablePrimary)]
}

function failIfDown(...processes: Supervised[]): undefined {
  for (const { name, stopped, deaths, logFile } of processes) {
    if (stopped) throw new Error(`${name} was stopped`)
    if (deaths >= 3) throw new Error(`${name} keeps exiting; see ${logFile}`)
  }
}

function waitOptions(members: readonly MongodMember[]) {
  const logs = processesOf(members).map(({ logFile }) => logFile)
  return {
    timeoutMs: RECOVERY_MS,
    everyMs: 10,
    timeout: () => new Error(`mongod is not writable after ${RECOVERY_MS / 1000} s; see ${logs.join(', ')}`),
  }
}

function processesOf(members: readonly MongodMember[]): Supervised[] {
  return members.map(({ process }) => process)
}

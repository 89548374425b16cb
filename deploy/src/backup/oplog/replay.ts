import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BSON, MongoClient } from 'mongodb'
import { compare, fromTimestamp, type Position, type Slice, timeOf, toTimestamp } from '../position.ts'
import { readDocuments } from '../read-documents.ts'
import { unseal } from '../seal.ts'
import type { Manifest } from '../workspace-keys.ts'
import { applyChanges, applyCommand } from './apply.ts'
import { chainOf } from './chain.ts'
import { type Entry, namespaceOf, type Operation, readEntry, transactionOf } from './entries.ts'

const MOST_CHANGES = 500
const MOST_BYTES = 4 * 1024 * 1024
/** Where a replica set was replayed to. It is in no backup. */
const PLACE = { database: 'family_inbox_restore', collection: 'replays', id: 'replay' } as const

export type Replay = {
  manifest: Manifest
  /** What there is, in any order. */
  slices: readonly Slice[]
  /** @returns the file of a slice */
  fetch: (slice: Slice) => Promise<string>
  identity: string
  until: Date
}

type Mark = { _id: string; at: BSON.Timestamp; isRunning: boolean }

/** Whether a backup was restored here that a replay may follow. @throws when one was interrupted: nobody knows how far it came */
export async function isRestored(uri: string): Promise<boolean> {
  await using client = await new MongoClient(uri).connect()
  const mark = await marks(client).findOne({ _id: PLACE.id })
  if (mark?.isRunning) throw new Error('A replay into this replica set was interrupted. Begin again with an empty one.')
  return mark !== null
}

/** Notes that these databases are as in the backup. @throws when the backup has no moment in an oplog */
export async function markRestored(uri: string, { oplog }: Manifest): Promise<void> {
  if (oplog === undefined)
    throw new Error('This backup was made without its place in the oplog: restore it without --until.')
  await using client = await new MongoClient(uri).connect()
  await mark(client, oplog.at, false)
}

/**
 * Replays the changes up to a time onto a restored backup. The same again changes nothing, and a later time continues. @returns how many
 * changes it applied, and the place of the last
 */
export async function replay(uri: string, request: Replay): Promise<{ changes: number; at: Position }> {
  const { manifest, slices, until } = request
  await using client = await new MongoClient(uri, { writeConcern: { w: 'majority', journal: true } }).connect()
  const restored = await marks(client).findOne({ _id: PLACE.id })
  if (manifest.oplog === undefined || restored === null) throw new Error('Restore a backup first.')
  const at = fromTimestamp(restored.at)
  const isFirst = compare(at, manifest.oplog.at) === 0
  if (until < timeOf(at) && isFirst)
    throw new Error(`The backup is from ${timeOf(at).toISOString()}, after that time. Take an earlier backup.`)
  if (until < timeOf(at))
    throw new Error(
      `This replica set is already at ${timeOf(at).toISOString()}. For an earlier time restore into an empty one.`,
    )
  const chain = chainOf(slices, isFirst ? manifest.oplog.from : at, until)
  // The dump lacks collections that were made while it listed them. After a first replay, nothing is lacking.
  const isLacking = isFirst ? lackingIn(manifest) : () => false
  const target = new Target(client, at, isLacking)
  await using _expiry = await stopExpiry(client)
  await mark(client, at, true)
  for (const slice of chain) await target.apply(entriesOf(slice, request))
  await target.flush()
  await mark(client, target.at, false)
  return { changes: target.changes, at: target.at }
}

/** Until that time. The clock of the entries is that of MongoDB, in seconds; within a second, that of the primary. */
async function* entriesOf(slice: Slice, { fetch, identity, until }: Replay): AsyncGenerator<Entry> {
  const opened = await mkdtemp(join(tmpdir(), 'family-inbox-slice-'))
  try {
    await unseal(await fetch(slice), identity, opened)
    for await (const bytes of readDocuments(join(opened, 'oplog.bson'))) {
      const entry = readEntry(bytes)
      if (timeOf(fromTimestamp(entry.ts)) > until || entry.wall > until) return
      yield entry
    }
  } finally {
    await rm(opened, { recursive: true, force: true })
  }
}

function lackingIn({ collections, keysApart }: Manifest): (operation: Operation) => boolean {
  const keys = keysApart ? ['inbox.workspace_keys'] : []
  const dumped = new Set([...collections.map(({ database, collection }) => `${database}.${collection}`), ...keys])
  return (operation) => !dumped.has(namespaceOf(operation))
}

class Target {
  readonly #client: MongoClient
  readonly #isLacking: (operation: Operation) => boolean
  /** The data has the changes up to here. */
  readonly #start: Position
  readonly #parts = new Map<string, Operation[]>()
  #batch: Operation[] = []
  #bytes = 0
  changes = 0
  at: Position

  constructor(client: MongoClient, start: Position, isLacking: (operation: Operation) => boolean) {
    this.#client = client
    this.#start = start
    this.#isLacking = isLacking
    this.at = start
  }

  async apply(entries: AsyncGenerator<Entry>): Promise<void> {
    for await (const entry of entries) {
      const position = fromTimestamp(entry.ts)
      const isThere = compare(position, this.#start) <= 0
      for (const operation of this.#operationsOf(entry))
        if (!isThere || this.#isLacking(operation)) await this.#add(operation)
      if (!isThere) this.at = position
    }
  }

  async flush(): Promise<void> {
    if (this.#batch.length > 0) await applyChanges(this.#client, this.#batch)
    this.changes += this.#batch.length
    this.#batch = []
    this.#bytes = 0
  }

  /** Of a transaction nothing until the entry that commits it, and then all. */
  #operationsOf(entry: Entry): Operation[] {
    const transaction = transactionOf(entry)
    if (transaction === undefined) return [entry]
    const all = [...(this.#parts.get(transaction.id) ?? []), ...entry.o.applyOps]
    if (transaction.isCommitted) this.#parts.delete(transaction.id)
    else this.#parts.set(transaction.id, all)
    return transaction.isCommitted ? all : []
  }

  async #add(operation: Operation): Promise<void> {
    if (operation.op === 'c') {
      await this.flush()
      await applyCommand(this.#client, operation)
      this.changes += 1
      return
    }
    this.#batch.push(operation)
    this.#bytes += BSON.calculateObjectSize(operation.o)
    if (this.#batch.length >= MOST_CHANGES || this.#bytes > MOST_BYTES) await this.flush()
  }
}

/** What expired since would be deleted before a change of it comes. The deletions of that time are in the oplog. */
async function stopExpiry(client: MongoClient): Promise<AsyncDisposable> {
  const set = (ttlMonitorEnabled: boolean) => client.db('admin').command({ setParameter: 1, ttlMonitorEnabled })
  await set(false)
  return { [Symbol.asyncDispose]: async () => void (await set(true)) }
}

function marks(client: MongoClient) {
  return client.db(PLACE.database).collection<Mark>(PLACE.collection)
}

async function mark(client: MongoClient, at: Position, isRunning: boolean): Promise<void> {
  const set = { at: toTimestamp(at), isRunning }
  await marks(client).updateOne({ _id: PLACE.id }, { $set: set }, { upsert: true })
}

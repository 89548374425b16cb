import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identityToRecipient } from 'age-encryption'
import { BSON, MongoClient, type Timestamp } from 'mongodb'
import { majorityPosition } from '../dump.ts'
import { backupKey } from '../key.ts'
import {
  compare,
  fromTimestamp,
  type Position,
  positionText,
  readPosition,
  type Slice,
  sliceName,
  slicesIn,
  timeOf,
  toTimestamp,
} from '../position.ts'
import { seal } from '../seal.ts'
import { changeStatus, readStatus } from '../status.ts'
import { type Entry, keptOf, readEntry, transactionOf } from './entries.ts'

/** The folder of the slices, beside the backups. */
export const SLICES = 'oplog'
const MAKING = '.making-slice'
/** A slice ends soon after that many bytes, and the next one begins. */
const MOST_BYTES = 64 * 1024 * 1024

export type Shipping = {
  uri: string
  dataDir: string
  /** Of the backups. */
  folder: string
  /** Replaces the file of the keys of families. @returns whether it could, now */
  keepKeys: () => Promise<boolean>
}

export type Shipped = Slice & {
  /** Whether more may follow at once. */
  isFull: boolean
}

/**
 * Writes what happened since the last slice into the next one, as far as a majority of the members has it, so no election takes it back.
 * @returns undefined when there is nothing @throws when it would not follow the last one
 */
export async function shipSlice(shipping: Shipping): Promise<Shipped | undefined> {
  const { uri, folder, dataDir } = shipping
  const slices = join(folder, SLICES)
  await mkdir(slices, { recursive: true, mode: 0o700 })
  await using client = await new MongoClient(uri).connect()
  const majority = await majorityPosition(client)
  if (majority === undefined) throw new Error('Slices of the oplog need a replica set, and not a mongos.')
  const from = await continueFrom(client, folder)
  const making = join(slices, MAKING)
  // Of a killed process.
  const left = (await readdir(slices)).filter((name) => name === MAKING || name.endsWith('.part'))
  for (const name of left) await rm(join(slices, name), { recursive: true })
  await mkdir(making, { mode: 0o700 })
  try {
    const written = await writeEntries(client, from, majority, join(making, 'oplog.bson'))
    if (written === undefined) return undefined
    // First: a slice never has more than the keys beside it open. If they can't be replaced now, the next try has both.
    if (written.changesKeys && !(await shipping.keepKeys())) return undefined
    const { to, entries, isFull } = written
    const slice = { isFull, name: sliceName({ from, to }), from, to }
    await writeFile(join(making, 'slice.json'), JSON.stringify({ from, to, entries }))
    await seal(making, join(slices, slice.name), await identityToRecipient(await backupKey(dataDir)))
    await changeStatus(slices, { slicedTo: timeOf(to).toISOString() })
    return slice
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** Where the last slice ended, or, after a gap, where the newest backup began. Its entry must still be in the oplog. */
async function continueFrom(client: MongoClient, folder: string): Promise<Position> {
  const last = slicesIn(await readdir(join(folder, SLICES))).at(-1)?.to
  if (last !== undefined && (await isInOplog(client, last))) return last
  const backup = readPosition((await readStatus(folder)).oplogFrom ?? '')
  const isNewer = backup !== undefined && (last === undefined || compare(backup, last) > 0)
  if (isNewer && (await isInOplog(client, backup))) return backup
  const todo = 'Make a full backup now, and slices follow it: npm run -s backup -- nightly'
  if (last === undefined && backup === undefined)
    throw new Error(`There is no backup that slices could follow. ${todo}`)
  const missing = positionText(last ?? (backup as Position))
  throw new Error(
    `There is a gap: the oplog no longer has the entry at ${missing}, where the next slice must begin. Times after it cannot be restored until there is a newer backup. ${todo}`,
  )
}

async function isInOplog(client: MongoClient, position: Position): Promise<boolean> {
  const [first] = await oplogOf(client)
    .find({ ts: { $gte: toTimestamp(position) } })
    .limit(1)
    .toArray()
  return first !== undefined && compare(fromTimestamp(first.ts), position) === 0
}

type Written = { to: Position; entries: number; changesKeys: boolean; isFull: boolean }

/** Ends where no transaction is half written, so that each is in one slice. */
async function writeEntries(
  client: MongoClient,
  from: Position,
  majority: Position,
  file: string,
): Promise<Written | undefined> {
  const range = { ts: { $gt: toTimestamp(from), $lte: toTimestamp(majority) } }
  const open = new OpenTransactions()
  let [bytes, entries, changesKeys] = [0, 0, false]
  let end: (Written & { bytes: number }) | undefined
  const output = createWriteStream(file, { mode: 0o600 })
  for await (const raw of oplogOf(client).find(range, { raw: true })) {
    const entry = readEntry(raw as unknown as Uint8Array)
    const { kept, changesKeys: isKey } = keptOf(entry)
    changesKeys ||= isKey
    if (kept !== undefined) {
      const written = kept === entry ? (raw as unknown as Buffer) : BSON.serialize(kept)
      if (!output.write(written)) await once(output, 'drain')
      bytes += written.length
      entries += 1
    }
    if (open.isAnyAfter(entry)) continue
    end = { to: fromTimestamp(entry.ts), entries, changesKeys, bytes, isFull: bytes > MOST_BYTES }
    if (end.isFull) break
  }
  output.end()
  await once(output, 'close')
  if (end !== undefined) await truncate(file, end.bytes)
  return end
}

class OpenTransactions {
  readonly #ids = new Set<string>()

  isAnyAfter(entry: Entry): boolean {
    const transaction = transactionOf(entry)
    if (transaction?.isCommitted) this.#ids.delete(transaction.id)
    else if (transaction !== undefined) this.#ids.add(transaction.id)
    return this.#ids.size > 0
  }
}

function oplogOf(client: MongoClient) {
  return client.db('local').collection<{ ts: Timestamp }>('oplog.rs')
}

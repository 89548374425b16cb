import { BSON } from 'mongodb'
import { databaseNames } from '../dump.ts'
import { isOfKeys } from '../workspace-keys.ts'

/** One change in the oplog. Numbers keep their BSON types. */
export type Operation = { op: string; ns: string; o: BSON.Document; o2?: BSON.Document; b?: boolean }

export type Entry = Operation & { ts: BSON.Timestamp; wall: Date; lsid?: { id: BSON.Binary }; txnNumber?: BSON.Long }

const AS_IT_IS = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const
const OURS = new Set(databaseNames())

export function readEntry(bytes: Uint8Array): Entry {
  return BSON.deserialize(bytes, AS_IT_IS) as Entry
}

/** The parts of a transaction that was larger than an entry of the oplog. Only the last one commits it. */
export function transactionOf({ lsid, txnNumber, o }: Entry): { id: string; isCommitted: boolean } | undefined {
  if (!Array.isArray(o.applyOps)) return undefined
  return { id: `${lsid?.id.toString('hex')} ${txnNumber}`, isCommitted: o.partialTxn !== true }
}

/**
 * What a slice keeps of an entry: changes of our databases, without the keys of families, which are apart.
 * @throws for a transaction over shards, whose parts are in several oplogs
 */
export function keptOf(entry: Entry): { kept?: Entry; changesKeys: boolean } {
  if (entry.op === 'n') return { changesKeys: false }
  if (entry.o.prepare === true || 'commitTransaction' in entry.o)
    throw new Error('A transaction over several shards is in the oplog. Slices work on one replica set only.')
  if (!Array.isArray(entry.o.applyOps)) {
    const isKey = isKeyChange(entry)
    return { ...(isOurs(entry) && !isKey && { kept: entry }), changesKeys: isKey }
  }
  const all: Operation[] = entry.o.applyOps
  const applyOps = all.filter((operation) => isOurs(operation) && !isKeyChange(operation))
  return { kept: { ...entry, o: { ...entry.o, applyOps } }, changesKeys: all.some(isKeyChange) }
}

export function namespaceOf({ ns, op, o }: Operation): string {
  const [database] = ns.split('.', 1)
  return op === 'c' ? `${database}.${Object.values(o)[0]}` : ns
}

function isOurs({ ns }: Operation): boolean {
  return OURS.has(ns.split('.', 1)[0] ?? '')
}

function isKeyChange({ op, ns }: Operation): boolean {
  const [database = '', collection = ''] = [ns.split('.', 1)[0], ns.slice(ns.indexOf('.') + 1)]
  return op !== 'c' && isOfKeys({ database, collection })
}

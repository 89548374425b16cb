import type { Collection, mongo } from 'mongoose'
import { isDuplicateKey } from './mongo.ts'

/** Inserts documents idempotently by key. @returns for each whether it is new @throws when that is unknown */
export async function insertOnce(collection: Collection, rows: { _id: string }[]): Promise<boolean[]> {
  if (rows.length === 0) return []
  const outcomes = rows.map(() => true)
  try {
    await collection.insertMany(rows as never[], { ordered: false, ignoreUndefined: true })
  } catch (error) {
    for (const index of duplicatesIn(error)) outcomes[index] = false
  }
  return outcomes
}

type BulkError = { writeErrors?: unknown; result?: { getWriteConcernError?: () => unknown } }

function duplicatesIn(error: unknown): number[] {
  const { writeErrors, result } = error as BulkError
  const known = [writeErrors ?? []].flat() as { index: number; code: number }[]
  const isAll = known.length > 0 && known.every(isDuplicateKey) && result?.getWriteConcernError?.() === undefined
  if (!isAll) throw error
  return known.map(({ index }) => index)
}

/** An upsert by key. Two first ones may both try to insert the row: one fails, and finds it when it is repeated. */
export async function upsertOnce<T>(update: () => Promise<T>): Promise<T> {
  try {
    return await update()
  } catch (error) {
    if (isDuplicateKey(error)) return update()
    throw error
  }
}

const BATCH_SIZE = 500

/** Deletes matching documents in batches: one delete of very many would hit the timeout. If interrupted, call again to resume. */
export async function deleteRows(collection: Collection, filter: Record<string, unknown>): Promise<void> {
  for (;;) {
    const rows = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(BATCH_SIZE)
      .toArray()
    if (rows.length === 0) return
    await collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
  }
}

/** The earliest date in an indexed field, which may be nested, of the matching rows; undefined if none has one. */
export async function earliest(
  { collection }: { collection: Pick<mongo.Collection, 'findOne'> },
  field: string,
  filter: Record<string, unknown> = {},
): Promise<Date | undefined> {
  const row = await collection.findOne(
    { ...filter, [field]: { $exists: true } },
    { projection: { date: `$${field}` }, sort: { [field]: 1 } },
  )
  return row?.date
}

export async function earliestOf(asked: Promise<Date | undefined>[]): Promise<Date | undefined> {
  const dates = await Promise.all(asked)
  return dates.filter((date) => date !== undefined).sort((a, b) => a.getTime() - b.getTime())[0]
}

/** A filter for everything whose id begins with this id and a slash. */
export function idsBelow(id: string) {
  return { $gte: `${id}/`, $lt: `${id}0` }
}

import type { Collection } from 'mongoose'
import { isDuplicateKey } from './mongo.ts'

/**
 * Inserts rows whose keys follow from what they hold, so that inserting twice is inserting once.
 * @returns for each row whether it is new; false when its key was there already
 * @throws when that cannot be told, or the new ones are not as durable as asked
 */
export async function insertOnce(collection: Collection, rows: { _id: string }[]): Promise<boolean[]> {
  // The driver refuses an empty batch.
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

/** The positions of rows that were there already, when that is all that went wrong. */
function duplicatesIn(error: unknown): number[] {
  const { writeErrors, result } = error as BulkError
  const known = [writeErrors ?? []].flat() as { index: number; code: number }[]
  const isAll = known.length > 0 && known.every(isDuplicateKey) && result?.getWriteConcernError?.() === undefined
  if (!isAll) throw error
  return known.map(({ index }) => index)
}

const AT_ONCE = 500

/**
 * Deletes what matches, some at a time: a single delete of very many rows would outlast every wait. Cut short, it is gone
 * on with by calling it again.
 */
export async function deleteRows(collection: Collection, filter: Record<string, unknown>): Promise<void> {
  for (;;) {
    const rows = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(AT_ONCE)
      .toArray()
    if (rows.length === 0) return
    await collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
  }
}

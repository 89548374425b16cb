import type { Collection } from 'mongoose'

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

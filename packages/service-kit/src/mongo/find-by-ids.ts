import type { Collection } from 'mongoose'
import { createBatcher } from '../rpc/batch.ts'
import { readAll } from './read-all.ts'

/** Their documents are in memory together. */
const MAX_READERS = 32

/** Returns the documents that exist, in no order. */
export type FindByIds<Row> = (ids: readonly string[]) => Promise<Row[]>

/**
 * Readers at the same time share a command, which costs about the same for one document as for ten.
 * @param open opens their sealed values
 */
export function createFindByIds<Row extends { _id: string }>(
  collection: Collection,
  projection: Readonly<Record<string, 1>> = {},
  open: (rows: Row[]) => Promise<Row[]> = async (rows) => rows,
): FindByIds<Row> {
  const find = createBatcher(
    async (asked: (readonly string[])[]) => {
      const ids = [...new Set(asked.flat())]
      const rows = await open(await readAll<Row>(collection, { filter: { _id: { $in: ids } }, projection }))
      const known = new Map(rows.map((row) => [row._id, row]))
      return asked.map((some) => some.flatMap((id) => known.get(id) ?? []))
    },
    { maxItems: MAX_READERS },
  )
  return async (ids) => (ids.length === 0 ? [] : find(ids))
}

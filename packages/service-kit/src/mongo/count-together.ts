import type { Collection } from 'mongoose'

export type Count = {
  from: { collection: Collection }
  where: object
  /** Counting stops here. At least 1. */
  limit?: number
}

/** Counts rows of several collections of a database in one command: the command itself costs more than such a count. */
export async function countTogether<Name extends string>(
  counts: Readonly<Record<Name, Count>>,
): Promise<Record<Name, number>> {
  const named = Object.entries<Count>(counts)
  const [first, ...others] = named.map(([name, { from, where, limit }]) => ({
    collection: from.collection,
    pipeline: [
      { $match: where },
      ...(limit === undefined ? [] : [{ $limit: limit }]),
      { $count: 'rows' },
      { $set: { name } },
    ],
  }))
  const result = Object.fromEntries(named.map(([name]) => [name, 0])) as Record<Name, number>
  if (first === undefined) return result
  const unions = others.map(({ collection, pipeline }) => ({
    $unionWith: { coll: collection.collectionName, pipeline },
  }))
  const found = first.collection.aggregate<{ name: Name; rows: number }>([...first.pipeline, ...unions])
  for (const { name, rows } of await found.toArray()) result[name] = rows
  return result
}

import type { ShardKey } from '@family-inbox/service-kit/mongo/sharding'

type Filter = Readonly<Record<string, unknown>>

export type Command = {
  readonly name: string
  readonly filter: Filter
  /** It changes at most one row. */
  readonly isSingle?: boolean
  readonly isUpsert?: boolean
}

/**
 * Which shards a router asks. `slow`: it first asks every shard for the row and then writes in a transaction, since MongoDB 7.0;
 * earlier versions refuse that.
 */
export type Route = 'one' | 'few' | 'all' | 'slow'

/** As MongoDB documents it for sharded collections. */
export function routeOf(shardKey: ShardKey, { name, filter, isSingle, isUpsert }: Command): Route {
  const [[field, kind]] = Object.entries(shardKey) as [[string, 1 | 'hashed']]
  const places = placesOf(filter, field, kind)
  if (places?.size === 1) return 'one'
  const writesOne = isSingle || isUpsert
  if (places !== undefined) return writesOne ? 'slow' : 'few'
  if (!writesOne) return 'all'
  // Every shard gets the write, and one has the row. `findAndModify` and upserts may not do that.
  const byId = name !== 'findAndModify' && !isUpsert && valuesOf(filter._id) !== undefined
  return byId ? 'all' : 'slow'
}

/** Where the rows are that a filter can match; undefined: anywhere. */
function placesOf(filter: Filter, field: string, kind: 1 | 'hashed'): ReadonlySet<string> | undefined {
  const own = valuesOf(filter[field]) ?? (kind === 1 ? rangeOf(filter[field]) : undefined)
  if (own !== undefined) return new Set(own.map((value) => (kind === 1 ? familyOf(value) : value)))
  for (const part of listOf(filter.$and)) {
    const places = placesOf(part, field, kind)
    if (places !== undefined) return places
  }
  const branches = listOf(filter.$or).map((part) => placesOf(part, field, kind))
  if (branches.length === 0 || branches.some((places) => places === undefined)) return undefined
  return new Set(branches.flatMap((places) => [...(places ?? [])]))
}

function valuesOf(condition: unknown): string[] | undefined {
  if (isScalar(condition)) return [JSON.stringify(condition)]
  const { $eq, $in } = (condition ?? {}) as { $eq?: unknown; $in?: unknown[] }
  if ($eq !== undefined) return [JSON.stringify($eq)]
  return Array.isArray($in) && $in.every(isScalar) ? $in.map((value) => JSON.stringify(value)) : undefined
}

/** A range of ids below one id, as `idsBelow` makes it. */
function rangeOf(condition: unknown): string[] | undefined {
  const { $gte, $gt, $lt, $lte } = (condition ?? {}) as Record<string, unknown>
  const [from, to] = [$gte ?? $gt, $lt ?? $lte]
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  return from.includes('/') && to.startsWith(from.slice(0, from.indexOf('/'))) ? [JSON.stringify(from)] : undefined
}

/** Ids that begin with the same id are on the same shard. */
function familyOf(value: string): string {
  return value.replace(/\/.*/s, '')
}

/** As the server writes values in its log: a date is `{ $date: … }`. */
function isScalar(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (typeof value !== 'object') return true
  return ['$date', '$oid', '$binary', '$numberLong', '$uuid'].some((kind) => kind in value)
}

function listOf(parts: unknown): Filter[] {
  return Array.isArray(parts) ? parts : []
}

/** The fields that decide on which shard a row is. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>

/** Keeps the rows of a workspace together. `_id` is for rows whose ids begin with the workspace's. */
export type WorkspaceKey = { readonly workspaceId: 1 } | { readonly _id: 1 }

/** Rows that cannot be kept by workspace. Without a key of their own they stay on one shard. */
export type GlobalRows = {
  /** Why. */
  readonly global: string
  readonly shardKey?: ShardKey
  /** Estimates, for their size. No rows: few, however many workspaces there are. */
  readonly rowsPerWorkspace?: number
  readonly rowBytes?: number
}

/** How a collection can be spread over several servers. Every collection says it beside its schema. */
export type Sharding = { readonly shardKey: WorkspaceKey } | GlobalRows

type Declared = { readonly options: object }

/** @throws when the schema does not say it */
export function shardingOf({ options }: Declared): Sharding {
  // Mongoose keeps options that it does not know, also in clones.
  const { sharding } = options as { sharding?: Sharding }
  if (sharding === undefined) throw new Error('the schema of this collection names no shard key; see mongo/sharding.ts')
  return sharding
}

export type Index = readonly [key: Readonly<Record<string, unknown>>, options: { readonly unique?: unknown }]

/** The unique indexes that a sharded collection cannot have: each shard sees only its own rows. */
export function impossibleIndexes(shardKey: ShardKey, indexes: readonly Index[]): string[] {
  const fields = Object.keys(shardKey)
  return indexes
    .filter(([, { unique }]) => Boolean(unique))
    .map(([key]) => Object.keys(key))
    .filter((indexed) => fields.some((field, at) => indexed[at] !== field))
    .map((indexed) => indexed.join(', '))
}

type FullIndex = readonly [
  key: Readonly<Record<string, unknown>>,
  options: { readonly sparse?: unknown; readonly partialFilterExpression?: unknown },
]

/** Whether MongoDB can use an index of the schema to find the rows of a shard; otherwise it makes one more. */
export function hasShardIndex(shardKey: ShardKey, indexes: readonly FullIndex[]): boolean {
  const wanted = Object.entries(shardKey)
  const every: readonly FullIndex[] = [[{ _id: 1 }, {}], ...indexes]
  return every.some(
    ([key, { sparse, partialFilterExpression }]) =>
      !sparse && partialFilterExpression === undefined && startsWith(Object.entries(key), wanted),
  )
}

function startsWith(entries: [string, unknown][], wanted: [string, unknown][]): boolean {
  return wanted.every(([field, kind], at) => entries[at]?.[0] === field && entries[at][1] === kind)
}

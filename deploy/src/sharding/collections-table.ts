import type { StoredCollection } from './collections.ts'

const FAMILIES = 10_000_000

type Row = Pick<StoredCollection, 'service' | 'name' | 'sharding'>

/** Those whose rows stay with their workspace, by service and key; and why each of the others does not. */
export function collectionTables(collections: readonly Row[]): string {
  const isGlobal = ({ sharding }: Row) => 'global' in sharding
  return `${workspaceTable(collections.filter((one) => !isGlobal(one)))}\n\n${globalTable(collections.filter(isGlobal))}`
}

function workspaceTable(collections: readonly Row[]): string {
  const groups = Map.groupBy(collections, ({ service, sharding }) => `${service} | ${keyText(sharding)}`)
  const lines = [...groups].map(
    ([group, members]) => `| ${group} | ${members.map(({ name }) => `\`${name}\``).join(', ')} |`,
  )
  return ['| Service | Shard key | Collections |', '| - | - | - |', ...lines].join('\n')
}

function globalTable(collections: readonly Row[]): string {
  const lines = collections.flatMap(({ service, name, sharding }) =>
    'global' in sharding
      ? [`| ${service} | \`${name}\` | ${keyText(sharding)} | ${sizeText(sharding)} | ${sharding.global} |`]
      : [],
  )
  return [
    '| Service | Collection | Shard key | Rows, size | Why not by family |',
    '| - | - | - | - | - |',
    ...lines,
  ].join('\n')
}

function keyText({ shardKey }: Row['sharding']): string {
  if (shardKey === undefined) return 'one shard'
  return Object.entries(shardKey)
    .map(([field, kind]) => `\`${field}\`${kind === 'hashed' ? ' (hashed)' : ''}`)
    .join(', ')
}

function sizeText({ rowsPerWorkspace, rowBytes = 0 }: { rowsPerWorkspace?: number; rowBytes?: number }): string {
  if (rowsPerWorkspace === undefined) return 'few'
  const rows = rowsPerWorkspace * FAMILIES
  return `${Math.round(rows / 1e5) / 10} million, ${sizeOf(rows * rowBytes)}`
}

function sizeOf(bytes: number): string {
  return bytes >= 1e9 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`
}

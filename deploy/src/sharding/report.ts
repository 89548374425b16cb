import type { Command, Route } from './route.ts'

export type Routed = { readonly name: string; readonly command: Command; readonly route: Route }

const ROUTES: readonly Route[] = ['one', 'few', 'all', 'slow']

/** A table of commands by collection and route, then what is asked of all shards, most often first. */
export function reportOf(routed: readonly Routed[], misplaced: ReadonlyMap<string, number>): string[] {
  const byName = [...Map.groupBy(routed, ({ name }) => name)].sort(([one], [other]) => (one < other ? -1 : 1))
  const table = byName.map(([name, all]) => `| ${name} | ${countsOf(all).join(' | ')} |`)
  const wide = routed.filter(({ route }) => route === 'all' || route === 'slow')
  const shapes = [...Map.groupBy(wide, shapeOf)].sort(([, one], [, other]) => other.length - one.length)
  return [
    `\nShard keys: ${routed.length} commands to one shard | a few | all | all, to write one row (slow; refused before MongoDB 7)`,
    ...table,
    `| in all | ${countsOf(routed).join(' | ')} |`,
    '\nWhat all shards are asked:',
    ...shapes.map(([shape, all]) => `${String(all.length).padStart(6)}  ${shape}`),
    ...[...misplaced].map(([name, count]) => `${name}: ${count} rows without a shard key`),
  ]
}

function countsOf(routed: readonly Routed[]): number[] {
  return ROUTES.map((wanted) => routed.filter(({ route }) => route === wanted).length)
}

/** The fields that it looks for, without values. */
function shapeOf({ name, route, command }: Routed): string {
  const fields = fieldsOf(command.filter).sort().join(', ')
  return `${route === 'slow' ? 'slow ' : ''}${command.name}${command.isUpsert ? ' (upsert)' : ''} ${name} {${fields}}`
}

function fieldsOf(filter: Command['filter']): string[] {
  return Object.entries(filter).flatMap(([field, condition]) =>
    field === '$or' || field === '$and'
      ? [`${field}(${[...new Set((condition as Command['filter'][]).flatMap(fieldsOf))].sort().join(', ')})`]
      : [field],
  )
}

import type { Command } from './route.ts'

/** A command on a collection, from a line of mongod's log. */
export type Logged = Command & { readonly database: string; readonly collection: string }

type Document = Readonly<Record<string, unknown>>
type Entry = { attr?: { type?: string; ns?: string; appName?: string; command?: Document } }

/** Marks the connections of tests: only the services' own commands count. */
export const TEST_CLIENT = 'test'

/** The commands in a line of mongod's log; none if it is about something else. */
export function commandsIn(line: string): Logged[] {
  if (!line.includes('"Slow query"')) return []
  const { type, ns = '', appName, command } = (JSON.parse(line) as Entry).attr ?? {}
  if (command === undefined || appName === TEST_CLIENT) return []
  const [database = '', collection = ''] = split(ns)
  if (type === 'update' || type === 'remove') return [{ database, collection, ...statement(type, command) }]
  return read(command).map((one) => ({ database, ...one }))
}

function split(ns: string): [string, string] {
  const at = ns.indexOf('.')
  return [ns.slice(0, at), ns.slice(at + 1)]
}

function statement(type: 'update' | 'remove', { q = {}, multi, upsert, limit }: Document): Command {
  const isSingle = type === 'update' ? multi !== true : limit === 1
  return { name: type === 'update' ? 'update' : 'delete', filter: q as Document, isSingle, isUpsert: upsert === true }
}

function read(command: Document): (Command & { collection: string })[] {
  const { filter = {}, query = {}, pipeline = [], upsert } = command as Record<string, Document>
  const collection = (name: string) => `${command[name]}`
  if ('find' in command) return [{ name: 'find', collection: collection('find'), filter }]
  if ('count' in command) return [{ name: 'count', collection: collection('count'), filter: query }]
  if ('distinct' in command) return [{ name: 'distinct', collection: collection('distinct'), filter: query }]
  if ('findAndModify' in command) {
    const one = { name: 'findAndModify', collection: collection('findAndModify'), filter: query }
    return [{ ...one, isSingle: true, isUpsert: Boolean(upsert) }]
  }
  return 'aggregate' in command ? readStages(collection('aggregate'), pipeline as never) : []
}

type Stage = { $match?: Document; $unionWith?: { coll: string; pipeline: Stage[] }; $lookup?: { from: string } }

/** Other collections in a pipeline are asked, too. */
function readStages(collection: string, stages: readonly Stage[]): (Command & { collection: string })[] {
  const own = { name: 'aggregate', collection, filter: stages[0]?.$match ?? {} }
  const others = stages.flatMap(({ $unionWith, $lookup }) => [
    ...($unionWith ? readStages($unionWith.coll, $unionWith.pipeline) : []),
    ...($lookup ? [{ name: '$lookup', collection: $lookup.from, filter: {} }] : []),
  ])
  return [own, ...others]
}

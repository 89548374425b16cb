import { type Connection, Schema } from 'mongoose'
import type { Sealer, WorkspaceKeys } from './workspace-keys.ts'

/** What of a field is stored sealed: paths in it, where `''` is all of it; or the prefixes of words, which are looked up. */
type Sealing = readonly string[] | 'prefixes'

/** For a field of `rowSchema`. Of type Mixed, because Mongoose would make text of a sealed one. */
export const SEALED = { type: Schema.Types.Mixed, sealed: [''] as Sealing }

/** For a list of prefixes of words (`sealPrefixes`). */
export const SEALED_PREFIXES = { type: [String], sealed: 'prefixes' as Sealing }

/** For a field with parts that are stored sealed, such as `filename` of each of its attachments. */
export function sealedIn(...paths: string[]) {
  return { type: Schema.Types.Mixed, sealed: paths as Sealing }
}

/** A model of a collection of which something is stored sealed. */
// biome-ignore lint/suspicious/noExplicitAny: rows of any type
export type SealedCollection = { readonly schema: Schema<any> }

/** A row, or fields of it, as they are stored. */
export function sealRow<Row extends object>(of: SealedCollection, row: Row, sealer: Sealer): Row {
  const sealed = { ...row } as Record<string, unknown>
  for (const [field, sealing] of sealings(of)) {
    if (sealed[field] === undefined) continue
    if (sealing === 'prefixes') sealed[field] = sealer.sealPrefixes(sealed[field] as string[])
    else for (const path of sealing) sealed[field] = sealAt(sealed[field], path === '' ? [] : path.split('.'), sealer)
  }
  return sealed as Row
}

type Sealings = readonly (readonly [field: string, sealing: Sealing])[]

/** A schema does not change once its model is made, and each row that is stored asks. */
const known = new WeakMap<object, Sealings>()

/** The fields of a collection of which something is stored sealed. */
export function sealings({ schema }: SealedCollection): Sealings {
  const found = known.get(schema) ?? findSealings(schema)
  known.set(schema, found)
  return found
}

function findSealings(schema: SealedCollection['schema']): Sealings {
  const found: [string, Sealing][] = []
  schema.eachPath((field, { options }) => {
    if (options.sealed !== undefined) found.push([field, options.sealed])
  })
  return found
}

function sealAt(value: unknown, path: readonly string[], sealer: Sealer): unknown {
  const [name, ...rest] = path
  if (name === undefined) return sealer.seal(value)
  if (Array.isArray(value)) return value.map((each) => sealAt(each, path, sealer))
  const inner = (value as Record<string, unknown> | null)?.[name]
  return inner === undefined ? value : { ...(value as object), [name]: sealAt(inner, rest, sealer) }
}

/** The model of a schema, whose rows are read with their sealed values open. Native reads of its collection open them by hand. */
export function sealedModel<Row>(connection: Connection, name: string, schema: Schema<Row>, keys: WorkspaceKeys) {
  const opening = schema.clone() as Schema<Row>
  opening.post(['find', 'findOne', 'findOneAndUpdate', 'findOneAndDelete'], async (found: unknown) => {
    await keys.open(found)
  })
  return connection.model(name, opening)
}

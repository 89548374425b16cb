import { createSecretKey } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { services } from '@family-inbox/local-stack/services'
import { mailLimitModel } from '@family-inbox/service-kit/mongo/rate-limit'
import { type Sharding, shardingOf } from '@family-inbox/service-kit/mongo/sharding'

const ROOT = join(import.meta.dirname, '../../..')

type Schema = Parameters<typeof shardingOf>[0] & {
  readonly options: { readonly collection?: string }
  indexes(): [key: Record<string, unknown>, options: Record<string, unknown>][]
}

export type StoredCollection = {
  readonly service: string
  readonly database: string
  readonly name: string
  readonly indexes: ReturnType<Schema['indexes']>
  readonly sharding: Sharding
}

/** Services that count mail and requests in a collection of the service kit. */
const LIMITING = ['auth', 'care-circle', 'inbox']

/** Everything that is stored in MongoDB, by service and name. The service kit's `schema` and `streams` are a few rows in each database. */
export async function everyCollection(): Promise<StoredCollection[]> {
  const owners = services.flatMap(({ name, database }) => (database === undefined ? [] : [{ name, database }]))
  const lists = owners.map(async ({ name: service, database }) => {
    const schemas = await schemasOf(service)
    return schemas.map((schema) => ({
      ...{ service, database, name: `${schema.options.collection}` },
      ...{ indexes: schema.indexes(), sharding: shardingOf(schema) },
    }))
  })
  return (await Promise.all(lists)).flat()
}

async function schemasOf(service: string): Promise<Schema[]> {
  const schemas: Schema[] = []
  // The models only give their schemas to it.
  const connection = { model: (_name: string, schema: Schema) => schemas.push(schema) }
  for (const file of modelFiles(service)) {
    const exported: Record<string, unknown> = await import(join(ROOT, file))
    for (const [name, open] of Object.entries(exported))
      if (typeof open === 'function' && (name.endsWith('Model') || name === 'openPush'))
        open(connection, lastArgument(name))
  }
  if (LIMITING.includes(service)) mailLimitModel(connection as never)
  const nameOf = (schema: Schema) => schema.options.collection ?? ''
  return schemas.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
}

/** Days that rows are kept, or the key of pushes. */
function lastArgument(name: string): unknown {
  return name === 'openPush' ? createSecretKey(Buffer.alloc(32, 1)) : 30
}

function modelFiles(service: string): string[] {
  return globSync(`services/${service}/src/models/*.ts`, { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
}

/** The names in the source text, so that no model is overlooked. */
export function namedInSource(service: string): string[] {
  const texts = modelFiles(service).map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\browSchema<\w+>\(\s*'(\w+)'/g)].map(([, name = '']) => name),
  )
  const others = texts.filter((text) => /\bnew (?:mongoose\.)?Schema(?:<[^>]*>)?\([^)]*\bcollection:/s.test(text))
  if (others.length > 0) throw new Error(`${service}: a collection without rowSchema, which asks for its shard key`)
  return names.sort()
}

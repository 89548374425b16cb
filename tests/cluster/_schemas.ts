import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterTools, type Manifest } from './_manifests.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const OWN = join(import.meta.dirname, 'schemas')

/** A folder of strict, self-contained schemas for kubeconform. Those of kinds outside Kubernetes are in `schemas/`. */
export async function schemasFor(manifests: readonly Manifest[], version: string) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-schemas-'))
  const source = join((await clusterTools()).schemas, version)
  await cp(OWN, dir, { recursive: true })
  const definitions = (await readJson(join(source, '_definitions.json'))) as { $defs: Record<string, Json> }
  for (const name of new Set(manifests.map(fileOf))) {
    const schema = await readJson(join(source, name)).catch(() => undefined)
    if (schema) await writeFile(join(dir, name), JSON.stringify(complete(schema, definitions.$defs)))
  }
  return {
    location: join(dir, '{{ .ResourceKind }}{{ .KindSuffix }}.json'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}

function fileOf({ apiVersion, kind }: Manifest): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  return [kind.toLowerCase(), group?.split('.')[0], `${version}.json`].filter(Boolean).join('-')
}

async function readJson(path: string): Promise<Json> {
  return JSON.parse(await readFile(path, 'utf8'))
}

/** Inlines all references of a schema. */
function complete(schema: Json, shared: Record<string, Json>): Json {
  const found: Record<string, Json> = {}
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve)
    if (value === null || typeof value !== 'object') return value
    const { $ref, ...rest } = value
    const copy = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, resolve(inner)]))
    if (typeof $ref !== 'string') return copy
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    if (!(name in found)) {
      found[name] = {} // schemas may be recursive
      found[name] = resolve(shared[name] ?? false)
    }
    return { ...copy, $ref: `#/definitions/${name}` }
  }
  const { $id: _id, ...resolved } = resolve(schema) as Record<string, Json>
  return { ...resolved, definitions: found }
}

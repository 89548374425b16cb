import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir } from '@family-inbox/local-stack/binaries/binary-cache'
import { cachedFolder, findGo, idOf } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { run } from '../system/run.ts'

type Definitions = {
  /** A folder beside this one's, whose go.sum pins the sources. */
  module: string
  /** For people. */
  of: string
  /** Where each project's own source has them. */
  paths: Readonly<Record<string, string>>
}

/** Of the custom resources in the manifests. */
const IN_MANIFESTS: Definitions = {
  module: 'custom-resources',
  of: 'cert-manager, KEDA, the Gateway API and Traefik',
  paths: {
    'github.com/cert-manager/cert-manager': 'deploy/crds',
    'github.com/kedacore/keda/v2': 'config/crd/bases',
    'sigs.k8s.io/gateway-api': 'config/crd/standard',
    'github.com/traefik/traefik/v3': 'integration/fixtures/k8s/01-traefik-crd.yml',
  },
}

/** Of those that an operator may use beside them: in `components/external-secrets` and in `examples`. */
const OF_OPERATORS: Definitions = {
  module: 'operator-resources',
  of: 'External Secrets and of operators for MongoDB',
  paths: {
    'github.com/external-secrets/external-secrets': 'config/crds/bases/external-secrets.io_externalsecrets.yaml',
    'github.com/mongodb/mongodb-kubernetes-operator': 'config/crd/bases',
    'github.com/percona/percona-server-mongodb-operator': 'deploy/crd.yaml',
  },
}

/** Gets the definitions of custom resources in the manifests. @returns their folder */
export function customResources(search: Search): Promise<string> {
  return definitions(IN_MANIFESTS, search)
}

/** Gets those that only some operators use. @returns their folder */
export function operatorResources(search: Search): Promise<string> {
  return definitions(OF_OPERATORS, search)
}

async function definitions({ module: name, of, paths }: Definitions, { env, say }: Search): Promise<string> {
  const module = join(import.meta.dirname, '../go', name)
  return cachedFolder(cacheDir(env), await idOf({ module }), async (dir) => {
    say(`Getting the custom resources of ${of} with Go…`)
    const go = await findGo(dir, module, env)
    const out = join(dir, 'out')
    await mkdir(out)
    for (const [source, path] of Object.entries(paths)) {
      const from = join(await sourceOf(go, source, module, env), path)
      for (const file of await filesIn(from)) await copyFile(file, join(out, file.replaceAll(/^.*\//g, '')))
    }
    return out
  })
}

async function sourceOf(go: string, source: string, module: string, env: Search['env']): Promise<string> {
  const options = { cwd: module, env: { ...env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }, timeoutMs: 300_000 }
  const version = (await run([go, 'list', '-m', '-f', '{{.Version}}', source], options)).trim()
  return JSON.parse(await run([go, 'mod', 'download', '-json', `${source}@${version}`], options)).Dir
}

async function filesIn(path: string): Promise<string[]> {
  const names = await readdir(path).catch(() => undefined)
  return names?.filter((name) => name.endsWith('.yaml')).map((name) => join(path, name)) ?? [path]
}

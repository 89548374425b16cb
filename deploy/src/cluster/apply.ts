import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { makeKeys, type Stores } from '../key-folder.ts'
import type { Images } from './images/registry.ts'
import { kubectl } from './inside.ts'
import { customResources } from './programs/custom-resources.ts'
import type { Layout } from './system/layout.ts'

export const OVERLAYS = ['local', 'production'] as const
export type Overlay = (typeof OVERLAYS)[number]

export type Additions = {
  /** Of deploy/k8s/components, or the path of a component elsewhere. */
  components?: readonly string[]
  /** Settings with other values. */
  settings?: Readonly<Record<string, string>>
  /** Files of deploy/k8s with more objects. */
  files?: readonly string[]
  /** Changes of objects: files of deploy/k8s, or YAML. */
  patches?: readonly ({ file: string } | { yaml: string })[]
}

export const K8S = join(REPOSITORY, 'deploy/k8s')
const NAMESPACE = 'family-inbox'

const STORES: Readonly<Record<Overlay, Stores>> = {
  local: { mongodbUri: 'mongodb://mongod-0.mongod:27017/?replicaSet=rs0', smtpUrl: 'smtp://mailpit:1025' },
  production: {
    mongodbUri: 'mongodb://mongodb-0.mongodb.mongodb:27017/?replicaSet=rs0&tls=true',
    smtpUrl: 'smtps://user:password@mail.example.org',
  },
}

/** Applies the namespace, the secrets and an overlay, as docs/operations.md describes. @returns what kubectl printed */
export async function applyOverlay(
  layout: Layout,
  overlay: Overlay,
  additions: Additions,
  search: Search,
): Promise<string> {
  if (overlay === 'production') await applyCustomResources(layout, search)
  await kubectl(layout, ['apply', '--server-side', '-f', join(K8S, 'base/namespace.yaml')])
  await makeKeys(layout.keys, STORES[overlay])
  const input = await buildOverlay(layout, overlay, additions)
  return kubectl(layout, ['apply', '--server-side', '--warnings-as-errors', '-f', '-'], { input })
}

/** Of cert-manager, KEDA, the Gateway API and Traefik, as their own installations apply them. */
export async function applyCustomResources(layout: Layout, search: Search): Promise<void> {
  await kubectl(layout, ['apply', '--server-side', '-f', await customResources(search)])
  await kubectl(layout, ['wait', '--for=condition=Established', 'customresourcedefinitions', '--all'])
}

/** An overlay as kubectl builds it, with additions and the secrets. In production, images are named by their digest. */
export async function buildOverlay(layout: Layout, overlay: Overlay, additions: Additions = {}): Promise<string> {
  const { components = [], settings = {}, files = [], patches = [] } = additions
  const dir = await mkdtemp(join(layout.dir, 'overlay-'))
  const from = (folder: string, name: string) => relative(dir, resolve(K8S, folder, name))
  const literals = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: NAMESPACE,
    // A file outside of the folder can be neither: it is copied.
    resources: [from('overlays', overlay), ...files.map((file) => basename(file))],
    patches: await Promise.all(
      patches.map(async (patch) => ({ patch: 'yaml' in patch ? patch.yaml : await textOf(patch.file) })),
    ),
    components: [...components.map((name) => from('components', name)), relative(dir, layout.keys)],
    ...(literals.length > 0 && { configMapGenerator: [{ name: 'settings', behavior: 'merge', literals }] }),
    ...(overlay === 'production' && { images: await digests(layout) }),
  }
  try {
    for (const file of files) await writeFile(join(dir, basename(file)), await textOf(file))
    await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization))
    return await kubectl(layout, ['kustomize', dir])
  } finally {
    await rm(dir, { recursive: true })
  }
}

function textOf(file: string): Promise<string> {
  return readFile(join(K8S, file), 'utf8')
}

async function digests(layout: Layout): Promise<{ name: string; digest: string }[]> {
  const { tags }: Images = JSON.parse(await readFile(layout.images, 'utf8'))
  return Object.entries(tags).map(([name, digest]) => ({ name: name.replace(/:[^:]*$/, ''), digest }))
}

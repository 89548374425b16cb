import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { REPOSITORY, services } from '@family-inbox/local-stack/services'
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
  for (const { name } of services) await applyFiles(layout, ['secret', 'generic', name], name)
  for (const name of ['service-keys', 'nats-users']) await applyFiles(layout, ['configmap', name], name)
  const input = await buildOverlay(layout, overlay, additions)
  return kubectl(layout, ['apply', '--server-side', '--warnings-as-errors', '-f', '-'], { input })
}

/** Of cert-manager, the Gateway API and Traefik, as their own installations apply them. */
async function applyCustomResources(layout: Layout, search: Search): Promise<void> {
  await kubectl(layout, ['apply', '--server-side', '-f', await customResources(search)])
  await kubectl(layout, ['wait', '--for=condition=Established', 'customresourcedefinitions', '--all'])
}

/** An overlay as kubectl builds it, with additions. In production, images are named by their digest. */
export async function buildOverlay(layout: Layout, overlay: Overlay, additions: Additions = {}): Promise<string> {
  const { components = [], settings = {} } = additions
  const dir = await mkdtemp(join(layout.dir, 'overlay-'))
  const from = (folder: string, name: string) => relative(dir, resolve(K8S, folder, name))
  const literals = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: NAMESPACE,
    resources: [from('overlays', overlay)],
    components: components.map((name) => from('components', name)),
    ...(literals.length > 0 && { configMapGenerator: [{ name: 'settings', behavior: 'merge', literals }] }),
    ...(overlay === 'production' && { images: await digests(layout) }),
  }
  try {
    await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization))
    return await kubectl(layout, ['kustomize', dir])
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function digests(layout: Layout): Promise<{ name: string; digest: string }[]> {
  const { tags }: Images = JSON.parse(await readFile(layout.images, 'utf8'))
  return Object.entries(tags).map(([name, digest]) => ({ name: name.replace(/:[^:]*$/, ''), digest }))
}

async function applyFiles(layout: Layout, kindAndName: string[], folder: string): Promise<void> {
  const from = `--from-file=${join(layout.keys, folder)}`
  const within = ['--namespace', NAMESPACE]
  const made = await kubectl(layout, [...within, 'create', ...kindAndName, from, '--dry-run=client', '-o', 'json'])
  await kubectl(layout, [...within, 'apply', '--server-side', '-f', '-'], { input: made })
}

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { parseAllDocuments } from 'yaml'
import { type ClusterTools, findClusterTools } from './_tools.ts'

const run = promisify(execFile)

export const K8S = join(import.meta.dirname, '../../deploy/k8s')

/** A Kubernetes object, as `kustomize build` prints it. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape, which kubeconform checks
  spec?: any
  data?: Record<string, string>
}

/** The objects of an overlay, and kustomize's output. */
export type Built = { name: string; text: string; manifests: Manifest[] }

let tools: Promise<ClusterTools> | undefined

/** Found once for each test file. */
export function clusterTools(): Promise<ClusterTools> {
  tools ??= findClusterTools({ env: readEnvironment(), say: () => {} })
  return tools
}

export async function buildOverlays(): Promise<Built[]> {
  const names = (await readdir(join(K8S, 'overlays'))).sort()
  return Promise.all(names.map((name) => build(name, join(K8S, 'overlays', name))))
}

/** Builds an overlay with components, as their comments describe. */
export async function buildWithComponent(overlay: string, ...components: string[]): Promise<Built> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-overlay-'))
  try {
    const from = (folder: string, name: string) => relative(dir, join(K8S, folder, name))
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [from('overlays', overlay)],
      components: components.map((component) => from('components', component)),
    }
    await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization))
    return await build(`${overlay} with ${components.join()}`, dir)
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function build(name: string, dir: string): Promise<Built> {
  const { kustomize } = await clusterTools()
  const { stdout: text } = await run(kustomize, ['build', dir], { maxBuffer: 64 * 1024 * 1024 })
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  const manifests = parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest)
  return { name, text, manifests }
}

export function ofKind({ manifests }: Built, kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind)
}

/** The one object of a kind and name, ignoring kustomize's suffix for generated names. */
export function theOnly(built: Built, kind: string, name: string): Manifest {
  const pattern = new RegExp(`^${name}(-[0-9a-z]{10})?$`)
  const [found, ...more] = ofKind(built, kind).filter(({ metadata }) => pattern.test(metadata.name))
  if (!found || more.length > 0) throw new Error(`${built.name} has ${found ? 'several' : 'no'} ${kind} ${name}`)
  return found
}

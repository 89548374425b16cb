import { join } from 'node:path'
import { REPOSITORY, services } from '@family-inbox/local-stack/services'
import { makeKeys, type Stores } from '../key-folder.ts'
import { kubectl } from './inside.ts'
import type { Layout } from './layout.ts'

export const OVERLAYS = ['local', 'production'] as const
export type Overlay = (typeof OVERLAYS)[number]

const K8S = join(REPOSITORY, 'deploy/k8s')
const NAMESPACE = '--namespace=family-inbox'

const STORES: Readonly<Record<Overlay, Stores>> = {
  local: { mongodbUri: 'mongodb://mongod-0.mongod:27017/?replicaSet=rs0', smtpUrl: 'smtp://mailpit:1025' },
  production: {
    mongodbUri: 'mongodb://mongodb-0.mongodb.mongodb:27017/?replicaSet=rs0&tls=true',
    smtpUrl: 'smtps://user:password@mail.example.org',
  },
}

/** Applies the namespace, the secrets and an overlay, as docs/operations.md describes. @returns what kubectl printed */
export async function applyOverlay(layout: Layout, overlay: Overlay): Promise<string> {
  await kubectl(layout, ['apply', '--server-side', '-f', join(K8S, 'base/namespace.yaml')])
  await makeKeys(layout.keys, STORES[overlay])
  for (const { name } of services) await applyFiles(layout, ['secret', 'generic', name], name)
  for (const name of ['service-keys', 'nats-users']) await applyFiles(layout, ['configmap', name], name)
  return kubectl(layout, ['apply', '--server-side', '--warnings-as-errors', '-k', join(K8S, 'overlays', overlay)])
}

async function applyFiles(layout: Layout, kindAndName: string[], folder: string): Promise<void> {
  const from = `--from-file=${join(layout.keys, folder)}`
  const made = await kubectl(layout, [NAMESPACE, 'create', ...kindAndName, from, '--dry-run=client', '-o', 'json'])
  await kubectl(layout, [NAMESPACE, 'apply', '--server-side', '-f', '-'], { input: made })
}

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Layout, type NodeNumber, nodeName } from '../system/layout.ts'

export type LocalVolume = {
  /** The claim of a store that it is for. */
  claim: string
  node: NodeNumber
  storage: string
}

/** A folder on a node, for one claim. */
export function localVolume(layout: Layout, { claim, node, storage }: LocalVolume): object {
  const onNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName(node)] }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: claim },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace: 'family-inbox', name: claim },
      local: { path: pathOf(layout, { claim, node }) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } },
    },
  }
}

/** A kubelet creates no folder for a local volume. */
export async function makeFolder(layout: Layout, volume: LocalVolume): Promise<void> {
  await mkdir(pathOf(layout, volume), { recursive: true })
}

function pathOf(layout: Layout, { claim, node }: Pick<LocalVolume, 'claim' | 'node'>): string {
  return join(layout.node(node), 'volumes', claim)
}

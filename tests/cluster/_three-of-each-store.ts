import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localVolume, makeFolder } from '@family-inbox/deploy/cluster/add-ons/local-volume'
import { kubectl } from '@family-inbox/deploy/cluster/inside'
import type { Layout, NodeNumber } from '@family-inbox/deploy/cluster/system/layout'
import { makeKeys } from '@family-inbox/deploy/key-folder'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import type { Kubernetes } from './_kubernetes.ts'
import { countRefused } from './_refused-by-nats.ts'

/** A component for the overlay `local`. */
export const THREE_OF_EACH_STORE = join(import.meta.dirname, 'three-of-each-store')

const MONGODB_URI = `mongodb://${[0, 1, 2].map((nth) => `mongod-${nth}.mongod:27017`).join()}/?replicaSet=rs0`
const STORES = ['mongod', 'nats']
/** The cluster itself has volumes for the first of each, on its first node. */
const OTHERS: readonly NodeNumber[] = [2, 3]
const NAMESPACE = '--namespace=family-inbox'
const IN_POD = (pod: string) => [NAMESPACE, 'exec', pod, '--']
const WITHIN = { timeoutMs: 120_000, everyMs: 500 }

/** What must exist before the overlay is applied: a volume for each store, on a node of its own, and secrets that name all of them. */
export async function prepareThreeOfEachStore(layout: Layout): Promise<void> {
  await makeKeys(layout.keys, { mongodbUri: MONGODB_URI, smtpUrl: 'smtp://mailpit:1025' })
  const volumes = OTHERS.flatMap((node) =>
    STORES.map((store) => ({ claim: `data-${store}-${node - 1}`, node, storage: '10Gi' })),
  )
  for (const volume of volumes) await makeFolder(layout, volume)
  const items = volumes.map((volume) => localVolume(layout, volume))
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await kubectl(layout, ['apply', '--server-side', '-f', '-'], { input })
}

/** Lets the primary step down, and waits for another one. */
export async function stepDown({ kubectl: run }: Kubernetes): Promise<void> {
  const before = await primary(run)
  await run(...IN_POD(before), 'mongosh', '--quiet', '--eval', 'rs.stepDown(10, 5)')
  await waitFor(async () => (await primary(run)) !== before || undefined, {
    ...WITHIN,
    timeout: () => new Error(`There is no other primary than ${before}`),
  })
}

/** The name of its pod. */
async function primary(run: Kubernetes['kubectl']): Promise<string> {
  const host = await run(...IN_POD('mongod-0'), 'mongosh', '--quiet', '--eval', 'db.hello().primary')
  return host.trim().split('.')[0] ?? ''
}

/** Ends the server of NATS that leads a stream as a crash does, and waits until it is back. */
export async function killLeader({ kubectl: run }: Kubernetes, stream: string): Promise<void> {
  const report = await run(...IN_POD('nats-0'), 'wget', '-qO-', 'http://127.0.0.1:8222/jsz?streams=1')
  const streams: StreamReport[] = JSON.parse(report).account_details.flatMap(
    ({ stream_detail: found }: { stream_detail: StreamReport[] }) => found,
  )
  const pod = streams.find(({ name }) => name === stream)?.cluster.leader
  if (pod === undefined) throw new Error(`${stream} has no leader`)
  const { metadata } = JSON.parse(await run(NAMESPACE, 'get', 'pod', pod, '--output=json'))
  process.kill(await processOf(metadata.uid, 'nats-server'), 'SIGKILL')
  await run(NAMESPACE, 'wait', '--for=condition=Ready=False', `pod/${pod}`, '--timeout=60s')
  await run(NAMESPACE, 'wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=200s')
}

type StreamReport = { name: string; cluster: { leader: string } }

/** A pod’s process, by its control group. It cannot be killed from inside, where it is the first one. */
async function processOf(pod: string, program: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const file = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
    if ((await file('cmdline')).startsWith(program) && (await file('cgroup')).includes(`/pod${pod}/`))
      return Number(pid)
  }
  throw new Error(`${program} does not run in ${pod}`)
}

/** Waits until each server of NATS has the users of the folder of keys, and lets it read them. */
export async function reloadNatsUsers({ layout, kubectl: run }: Kubernetes): Promise<void> {
  const users = await readFile(join(layout.keys, 'nats-users/users.conf'), 'utf8')
  for (const pod of [0, 1, 2].map((nth) => `nats-${nth}`)) {
    // A kubelet writes a changed ConfigMap into a volume within a minute, and right away when the pod changes.
    await run(NAMESPACE, 'annotate', '--overwrite', `pod/${pod}`, `family-inbox/users-of=${Date.now()}`)
    await waitFor(async () => (await run(...IN_POD(pod), 'cat', '/etc/nats/users/users.conf')) === users || undefined, {
      ...WITHIN,
      timeout: () => new Error(`${pod} does not get the new users`),
    })
    await run(...IN_POD(pod), 'nats-server', '--signal', 'reload=1')
  }
}

/** How many connections the servers of NATS have refused because of the user. */
export async function refusedByNats({ kubectl: run }: Kubernetes): Promise<number> {
  const logs = await Promise.all([0, 1, 2].map((nth) => run(NAMESPACE, 'logs', `nats-${nth}`)))
  return countRefused(logs.join('\n'))
}

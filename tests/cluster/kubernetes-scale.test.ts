import { setTimeout as sleep } from 'node:timers/promises'
import { buildOverlay } from '@family-inbox/deploy/cluster/apply'
import { kubectl } from '@family-inbox/deploy/cluster/inside'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import anyTest, { type TestFn } from 'ava'
import { parseAllDocuments } from 'yaml'
import { type Kubernetes, seedOn, startKubernetes, startPodLoad, whyNoKubernetes } from './_kubernetes.ts'
import type { Manifest } from './_manifests.ts'
import { expectNoFailure, readsOf } from './_traffic.ts'

const test = anyTest as TestFn<{ kubernetes: Kubernetes }>
const lacking = await whyNoKubernetes()
const onCluster = lacking === undefined ? test.serial : test.serial.skip
const skipped = lacking === undefined ? '' : ` (skipped: ${lacking})`

const IN_NAMESPACE = '--namespace=family-inbox'
const ADDITIONS = { settings: { TOOL_CALLS_PER_MINUTE: '1000000' } }
const MOST = 4
/** What a replica ended with shows in the calls right after. */
const SETTLE_MS = 5000

let family: DemoFamily

test.before('start a cluster', async (t) => {
  if (lacking !== undefined) return
  t.context = { kubernetes: await startKubernetes((line) => t.log(line)) }
})

test.after.always('end the cluster', async ({ context }) => {
  await context.kubernetes?.[Symbol.asyncDispose]()
})

onCluster(`the cluster says what each pod uses${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await kubernetes.apply('local', ADDITIONS)
  await kubernetes.kubectl(IN_NAMESPACE, 'wait', '--for=condition=Ready', 'pods', '--all', '--timeout=600s')
  const pods = (await kubernetes.kubectl(IN_NAMESPACE, 'get', 'pods', '--output=name')).trim().split('\n').length
  const used = await waitFor(
    async () => {
      const rows = await usedBy(kubernetes)
      return rows.length === pods ? rows : undefined
    },
    { timeoutMs: 180_000, everyMs: 2000, timeout: () => new Error('metrics-server does not know every pod') },
  )
  t.log(used.join('\n'))
  for (const row of used) t.regex(row, /^\S+ +\d+m +[1-9]\d*Mi/)
})

onCluster(
  `the autoscaler adds gateways under load and removes them after it, and no call fails${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    family = await seedOn(kubernetes)
    await applyAutoscaler(kubernetes, 'gateway')
    await untilReplicas(kubernetes, (ready) => ready === 2)
    const steady = await startLoad(kubernetes, { clients: 1, paceMs: 500 })
    const heavy = await startLoad(kubernetes, { clients: 8, paceMs: 20 })
    const grown = await untilReplicas(kubernetes, (ready) => ready > 2)
    t.log(`${grown} replicas. ${await whyScaled(kubernetes)}`)
    t.log((await usedBy(kubernetes)).join('\n'))
    const results = [await heavy.stop()]
    await untilReplicas(kubernetes, (ready, all) => ready === 2 && all === 2)
    await sleep(SETTLE_MS)
    results.push(await steady.stop())
    for (const result of results) expectNoFailure(t, result)
  },
)

/** The one of production, which may decide sooner and with less load: one machine is three nodes here. */
async function applyAutoscaler({ layout }: Kubernetes, name: string): Promise<void> {
  const objects = parseAllDocuments(await buildOverlay(layout, 'production')).map((text) => text.toJS() as Manifest)
  const found = objects.find(({ kind, metadata }) => kind === 'HorizontalPodAutoscaler' && metadata.name === name)
  if (!found) throw new Error(`Production does not scale ${name}`)
  const { spec } = found
  spec.maxReplicas = MOST
  spec.metrics[0].resource.target.averageValue = '40m'
  spec.behavior.scaleUp.stabilizationWindowSeconds = 0
  spec.behavior.scaleDown.stabilizationWindowSeconds = 15
  spec.behavior.scaleDown.policies[0].periodSeconds = 15
  await kubectl(layout, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(found) })
}

/** Resolves when the gateways that are ready, and all that are there, are as many as wanted. @returns how many are ready */
function untilReplicas(kubernetes: Kubernetes, isRight: (ready: number, all: number) => boolean): Promise<number> {
  let last = ''
  return waitFor(
    async () => {
      const what = ['pods', '--selector=app.kubernetes.io/name=gateway', '--output=json']
      const { items } = JSON.parse(await kubernetes.kubectl(IN_NAMESPACE, 'get', ...what))
      const ready = items.filter(isReady).length
      last = `${ready} of ${items.length} gateways are ready`
      return isRight(ready, items.length) ? ready : undefined
    },
    { timeoutMs: 240_000, everyMs: 1000, timeout: () => new Error(`The autoscaler did not follow: ${last}`) },
  )
}

function isReady({ status }: { status: { conditions?: { type: string; status: string }[] } }): boolean {
  return (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')
}

/** Lines of name, processor time and memory. */
async function usedBy({ kubectl: ask }: Kubernetes): Promise<string[]> {
  const table = await ask(IN_NAMESPACE, 'top', 'pods', '--no-headers').catch(() => '')
  return table.trim().split('\n').filter(Boolean)
}

async function whyScaled({ kubectl: ask }: Kubernetes): Promise<string> {
  const { status } = JSON.parse(await ask(IN_NAMESPACE, 'get', 'hpa/gateway', '--output=json'))
  return JSON.stringify(status.currentMetrics)
}

function startLoad(kubernetes: Kubernetes, pace: { clients: number; paceMs: number }) {
  const calls = readsOf({ lovedOneId: family.lovedOnes[0]?.id })
  return startPodLoad(kubernetes, { ...pace, key: family.keys.owner, calls })
}

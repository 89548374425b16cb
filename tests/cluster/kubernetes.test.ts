import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { cutPower } from '@family-inbox/deploy/cluster/inside'
import { controlGroups } from '@family-inbox/deploy/cluster/system/control-groups'
import { NODES } from '@family-inbox/deploy/cluster/system/layout'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import anyTest, { type TestFn } from 'ava'
import { readUntil } from '../_wait.ts'
import { findPrometheus } from '../alarms/_prometheus.ts'
import type { Alert } from '../alarms/_running-prometheus.ts'
import {
  callTool,
  canConnect,
  type Kubernetes,
  type PodLoad,
  seedOn,
  startKubernetes,
  startMails,
  startPodLoad,
  whyNoKubernetes,
} from './_kubernetes.ts'
import type { LoadResult } from './_load-in-pod.ts'
import { measuredPods, startPrometheusIn } from './_prometheus-in-cluster.ts'
import { expectNoFailure, readsOf } from './_traffic.ts'

type World = { kubernetes: Kubernetes }

const test = anyTest as TestFn<World>
const lacking = await whyNoKubernetes()
const onCluster = lacking === undefined ? test.serial : test.serial.skip
const skipped = lacking === undefined ? '' : ` (skipped: ${lacking})`

type Pod = { metadata: { name: string }; status: { containerStatuses: { restartCount: number }[] } }

const IN_NAMESPACE = '--namespace=family-inbox'
const LOAD = { clients: 4, paceMs: 20 }
/** Above what one key may call in production. */
const ADDITIONS = { settings: { TOOL_CALLS_PER_MINUTE: '1000000' } }
const SETTLE_MS = 5000

/** Created by the first test that needs it, for all later ones. */
let family: DemoFamily

test.before('start a cluster of three nodes', async (t) => {
  if (lacking !== undefined) return
  t.context = { kubernetes: await startKubernetes((line) => t.log(line)) } as World
})

test.after.always('end the cluster', async ({ context: { kubernetes } }) => {
  await kubernetes?.[Symbol.asyncDispose]()
})

onCluster(
  `the API server takes the overlay “local” without a warning, and the second time changes nothing${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    const first = await kubernetes.apply('local', ADDITIONS)
    t.regex(first, /deployment.apps\/gateway serverside-applied/)
    await kubernetes.apply('local', ADDITIONS)
    t.is(await kubernetes.diff('local', ADDITIONS), '')
  },
)

onCluster(`everything becomes ready, started in any order on an empty cluster${skipped}`, async (t) => {
  const { kubernetes } = t.context
  const startedAt = Date.now()
  await kubernetes.kubectl(IN_NAMESPACE, 'wait', '--for=condition=Ready', 'pods', '--all', '--timeout=400s')
  t.log(`ready after ${seconds(startedAt)}`)
  const { items } = JSON.parse(await kubernetes.kubectl(IN_NAMESPACE, 'get', 'pods', '--output=json'))
  t.is(items.length, 10)
  const restarted = items.flatMap((pod: Pod) =>
    pod.status.containerStatuses.filter(({ restartCount }) => restartCount > 0).map(() => pod.metadata.name),
  )
  t.deepEqual(restarted, [], 'what starts before its stores waits for them')
})

onCluster(`a mail from the internet is in the result of a tool${skipped}`, async (t) => {
  const { kubernetes } = t.context
  family = await seedOn(kubernetes)
  const [lovedOne] = family.lovedOnes
  const mails = await startMails(kubernetes, { to: lovedOne?.inboxAddress ?? '', paceMs: 0, mails: 1 })
  await mails.ended
  t.deepEqual(mails.accepted, ['Result 1'])
  await waitFor(async () => (await subjects(kubernetes, 0)).includes('Result 1') || undefined, {
    timeoutMs: 30_000,
    everyMs: 500,
    timeout: () => new Error('The accepted mail is in no answer'),
  })
})

onCluster(
  `only the ingress controller reaches the gateway, and each service only what it needs${skipped}`,
  async (t) => {
    const expected: [from: string, to: string, isOpen: boolean][] = [
      ['traefik/traefik', 'gateway.family-inbox:80', true],
      ['traefik/traefik', 'auth.family-inbox:50051', false],
      ['traefik/traefik', 'mongod.family-inbox:27017', false],
      ['stranger/traefik', 'gateway.family-inbox:80', false],
      ['stranger/traefik', 'nats.family-inbox:4222', false],
      ['stranger/traefik', 'inbox-smtp.family-inbox:25', false],
      ['family-inbox/deployment/gateway', 'auth:50051', true],
      ['family-inbox/deployment/gateway', 'mongod:27017', false],
      ['family-inbox/deployment/inbox', 'mailpit:1025', true],
      ['family-inbox/deployment/auth', 'mongod:27017', true],
      ['family-inbox/deployment/auth', 'inbox:50051', false],
      ['family-inbox/deployment/site', 'nats:4222', false],
    ]
    for (const [from, to, isOpen] of expected)
      t.is(await canConnect(t.context.kubernetes, from, to), isOpen, `${from} to ${to}`)
  },
)

onCluster(`care-circle and auth are replaced under load, and no call fails${skipped}`, async (t) => {
  const { kubernetes } = t.context
  const load = await startLoad(kubernetes)
  for (const name of ['care-circle', 'auth']) await restart(kubernetes, name)
  expectNoFailure(t, await settled(load))
})

onCluster(
  `the gateway grows from two to four replicas and shrinks again under load, and no call fails${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    await scale(kubernetes, 'gateway', 2)
    const load = await startLoad(kubernetes)
    await scale(kubernetes, 'gateway', 4)
    await scale(kubernetes, 'gateway', 2)
    expectNoFailure(t, await settled(load))
  },
)

onCluster(`a Prometheus in the cluster reads every pod, and rings while the gateway is gone${skipped}`, async (t) => {
  const { kubernetes } = t.context
  const found = await findPrometheus()
  if ('lacking' in found) return t.log(found.lacking)
  const prometheus = await startPrometheusIn(kubernetes, found.prometheus)
  const names = (await measuredPods(kubernetes)).map(({ metadata }) => metadata.name)
  await readUntil(prometheus.up, (up) => isDeepStrictEqual(up.toSorted(), names.toSorted()))
  const isRinging = (alerts: Alert['labels'][]) =>
    alerts.some(({ alertname, service }) => alertname === 'ServiceIsGone' && service === 'gateway')
  t.false(isRinging(await prometheus.ringing()))
  await scale(kubernetes, 'gateway', 0)
  t.true(isRinging(await readUntil(prometheus.ringing, isRinging)))
  await scale(kubernetes, 'gateway', 2)
  await prometheus.scrapeWhatIsThere()
  await readUntil(prometheus.ringing, (alerts) => !isRinging(alerts))
})

onCluster(`a node loses its power while mail arrives, and no accepted mail is lost${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await scale(kubernetes, 'inbox', 2)
  const mails = await startMails(kubernetes, { to: family.lovedOnes[1]?.inboxAddress ?? '', paceMs: 500 })
  await acceptMore(mails.accepted, 10)
  const lost = await nodeToLose(kubernetes)
  const before = mails.accepted.length
  await cutPower(kubernetes.layout, lost)
  await acceptMore(mails.accepted, 10)
  await kubernetes.kubectl('wait', '--for=condition=Ready=Unknown', `node/n${lost}`, '--timeout=120s')
  await kubernetes.kubectl(IN_NAMESPACE, 'rollout', 'status', 'deployment', '--timeout=300s')
  await mails.stop()
  t.log(`${before} mails before node n${lost} was lost, ${mails.accepted.length - before} after`)
  const found = await waitFor(
    async () => {
      const all = await subjects(kubernetes, 1)
      return mails.accepted.every((subject) => all.includes(subject)) ? all : undefined
    },
    { timeoutMs: 60_000, everyMs: 1000, timeout: () => new Error('An accepted mail is lost') },
  )
  t.is(new Set(found).size, found.length, 'and none is there twice')
})

onCluster(
  `when the cluster has ended, nothing of it is left: no process, no control group and no file${skipped}`,
  async (t) => {
    const { layout } = t.context.kubernetes
    const groups = NODES.flatMap((node) => controlGroups(layout.id, node))
    t.true(groups.some(existsSync))
    t.true((await processesWith(layout.dir)).length > 0)
    await t.context.kubernetes[Symbol.asyncDispose]()
    t.deepEqual(groups.filter(existsSync), [])
    t.deepEqual(await processesWith(layout.dir), [])
    t.false(existsSync(layout.dir))
  },
)

async function processesWith(word: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(word))
}

function startLoad(kubernetes: Kubernetes): Promise<PodLoad> {
  const calls = readsOf({ lovedOneId: family.lovedOnes[0]?.id })
  return startPodLoad(kubernetes, { ...LOAD, key: family.keys.owner, calls })
}

/** What a replica ended with shows in the calls right after. */
async function settled(load: PodLoad): Promise<LoadResult> {
  await sleep(SETTLE_MS)
  return load.stop()
}

async function restart({ kubectl: run }: Kubernetes, name: string): Promise<void> {
  await run(IN_NAMESPACE, 'rollout', 'restart', `deployment/${name}`)
  await run(IN_NAMESPACE, 'rollout', 'status', `deployment/${name}`, '--timeout=300s')
}

async function scale({ kubectl: run }: Kubernetes, name: string, replicas: number): Promise<void> {
  await run(IN_NAMESPACE, 'scale', `deployment/${name}`, `--replicas=${replicas}`)
  await run(IN_NAMESPACE, 'rollout', 'status', `deployment/${name}`, '--timeout=300s')
  const pods = `--selector=app.kubernetes.io/name=${name}`
  await waitFor(
    async () => {
      const { items } = JSON.parse(await run(IN_NAMESPACE, 'get', 'pods', pods, '--output=json'))
      return items.length === replicas || undefined
    },
    { timeoutMs: 60_000, everyMs: 500, timeout: () => new Error(`${name} does not have ${replicas} replicas`) },
  )
}

/** A node with an inbox and without the stores. */
async function nodeToLose({ kubectl: run }: Kubernetes): Promise<2 | 3> {
  const pods = '--selector=app.kubernetes.io/name=inbox'
  const { items } = JSON.parse(await run(IN_NAMESPACE, 'get', 'pods', pods, '--output=json'))
  const nodes = items.map(({ spec }: { spec: { nodeName: string } }) => spec.nodeName)
  return nodes.includes('n3') ? 3 : 2
}

function acceptMore(accepted: readonly string[], more: number): Promise<true> {
  const enough = accepted.length + more
  return waitFor(async () => accepted.length >= enough || undefined, {
    timeoutMs: 120_000,
    everyMs: 100,
    timeout: () => new Error('Mail is no longer accepted'),
  })
}

/** The subjects of all mail in the inbox of a loved one. */
async function subjects(kubernetes: Kubernetes, nth: number): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = { lovedOneId: family.lovedOnes[nth]?.id, limit: 50, ...(cursor && { cursor }) }
    const result = await callTool(kubernetes, family.keys.owner, 'list_inbox_messages', page)
    found.push(...result.messages.map(({ subject }: { subject: string }) => subject))
    cursor = result.nextCursor
  } while (cursor)
  return found
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(0)} s`
}

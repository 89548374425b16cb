import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Additions } from '@family-inbox/deploy/cluster/apply'
import type { Step } from '@family-inbox/deploy/rotation'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { type Kubernetes, seedOn, startKubernetes, whyNoKubernetes } from './_kubernetes.ts'
import {
  killLeader,
  prepareThreeOfEachStore,
  refusedByNats,
  reloadNatsUsers,
  stepDown,
  THREE_OF_EACH_STORE,
} from './_three-of-each-store.ts'
import { underLoad } from './_traffic.ts'

type World = { kubernetes: Kubernetes; family: DemoFamily }

const test = anyTest as TestFn<World>
const lacking = await whyNoKubernetes()
const onCluster = lacking === undefined ? test.serial : test.serial.skip
const skipped = lacking === undefined ? '' : ` (skipped: ${lacking})`

const exec = promisify(execFile)
const IN_NAMESPACE = '--namespace=family-inbox'
/** Above what one key may call in production. */
const SETTINGS = { TOOL_CALLS_PER_MINUTE: '1000000' }
/** On the way of a call or of a mail. */
const CALLED = ['gateway', 'auth', 'care-circle', 'inbox']
/** As docs/operations.md says: tokens of services are valid for one minute. */
const OLD_TOKENS_MS = 120_000

let usedAt = 0
let applied: Additions['settings'] = SETTINGS

test.before('start a cluster of three nodes, with three of each store', async (t) => {
  if (lacking !== undefined) return
  const kubernetes = await startKubernetes((line) => t.log(line))
  t.context = { kubernetes } as World
  await prepareThreeOfEachStore(kubernetes.layout)
  await apply(kubernetes)
  await kubernetes.kubectl(IN_NAMESPACE, 'wait', '--for=condition=Ready', 'pods', '--all', '--timeout=500s')
  t.context.family = await seedOn(kubernetes)
})

test.after.always('end the cluster', async ({ context: { kubernetes } }) => {
  await kubernetes?.[Symbol.asyncDispose]()
})

onCluster(`every service is restarted at the same time, and knows a new key of auth${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await disturb(t, async () => {
    await rotate(kubernetes, 'introduce')
    await kubernetes.kubectl(IN_NAMESPACE, 'rollout', 'restart', 'deployment')
    await rolledOut(kubernetes)
  })
})

onCluster(`a setting changes, which restarts every service, and auth signs with its new key${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await disturb(t, async () => {
    await rotate(kubernetes, 'use', { settings: { ...SETTINGS, CALLS_KEPT_DAYS: '364' } })
    await rolledOut(kubernetes)
  })
  usedAt = Date.now()
})

onCluster(`a node is drained, and comes back${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await scale(kubernetes, 2)
  const node = await nodeToDrain(kubernetes)
  await disturb(t, async () => {
    await kubernetes.kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s')
    await rolledOut(kubernetes)
    await kubernetes.kubectl('uncordon', node)
    await kubernetes.kubectl(IN_NAMESPACE, 'wait', '--for=condition=Ready', 'pods', '--all', '--timeout=300s')
  })
  await scale(kubernetes, 1)
})

onCluster(`the primary of three mongods steps down${skipped}`, async (t) => {
  await disturb(t, () => stepDown(t.context.kubernetes))
})

onCluster(`one of three servers of NATS is killed, which leads what waits to be sent${skipped}`, async (t) => {
  await disturb(t, () => killLeader(t.context.kubernetes, 'OUTGOING_MAIL'))
})

onCluster(`the old key of auth is retired${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await sleep(Math.max(0, usedAt + OLD_TOKENS_MS - Date.now()))
  await disturb(t, async () => {
    await rotate(kubernetes, 'retire')
    await kubernetes.kubectl(IN_NAMESPACE, 'rollout', 'restart', 'deployment')
    await rolledOut(kubernetes)
  })
  t.is(await refusedByNats(kubernetes), 0)
})

/** Under load: at most one call of ten thousand fails, and no accepted mail is lost or there twice. */
async function disturb(t: ExecutionContext<World>, how: () => Promise<unknown>): Promise<void> {
  const { kubernetes, family } = t.context
  const { calls, accepted, lost, doubled } = await underLoad(kubernetes, family, how)
  const { answered, failed, failures, medianMs, p99Ms, slowestMs } = calls
  t.log(`${failed} of ${answered} calls failed; median ${medianMs} ms, 99% ${p99Ms} ms, slowest ${slowestMs} ms`)
  t.log(`${accepted} mails accepted`)
  t.true(answered > 0 && failed * 10_000 <= answered, failures.join('\n'))
  t.deepEqual({ lost, doubled }, { lost: [], doubled: [] })
}

/** One step of docs/operations.md, “Replace keys”, without the restart. */
async function rotate(kubernetes: Kubernetes, step: Step, additions?: Additions): Promise<void> {
  const command = join(REPOSITORY, 'deploy/src/keys.ts')
  await exec(process.execPath, [command, 'rotate', kubernetes.layout.keys, 'auth', 'SERVICE_KEY', step])
  await apply(kubernetes, additions)
  await reloadNatsUsers(kubernetes)
}

async function scale(kubernetes: Kubernetes, replicas: number): Promise<void> {
  await kubernetes.kubectl(
    IN_NAMESPACE,
    'scale',
    `--replicas=${replicas}`,
    ...CALLED.map((name) => `deployment/${name}`),
  )
  await rolledOut(kubernetes)
}

/** One without the pods of the tests, and without Mailpit, which keeps what it got in memory. */
async function nodeToDrain({ kubectl }: Kubernetes): Promise<string> {
  const mailpit = JSON.parse(await kubectl(IN_NAMESPACE, 'get', 'pod', 'mailpit-0', '--output=json'))
  return mailpit.spec.nodeName === 'n3' ? 'n2' : 'n3'
}

/** The overlay, as it was last applied unless something else is given. */
async function apply(kubernetes: Kubernetes, { components = [], settings = applied }: Additions = {}): Promise<void> {
  applied = settings
  await kubernetes.apply('local', { components: [THREE_OF_EACH_STORE, ...components], settings })
}

async function rolledOut({ kubectl }: Kubernetes): Promise<void> {
  await kubectl(IN_NAMESPACE, 'rollout', 'status', 'deployment', '--timeout=500s')
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Additions } from '@family-inbox/deploy/cluster/apply'
import { kubectl } from '@family-inbox/deploy/cluster/inside'
import type { Step } from '@family-inbox/deploy/rotation'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { AUTHORITY, CERTIFICATES } from './_certificates.ts'
import { callTool, type Kubernetes, seedOn, startKubernetes, whyNoKubernetes } from './_kubernetes.ts'
import {
  killLeader,
  prepareThreeOfEachStore,
  refusedByNats,
  reloadNatsUsers,
  stepDown,
  THREE_OF_EACH_STORE,
} from './_three-of-each-store.ts'
import { type Target, underLoad } from './_traffic.ts'

const test = anyTest as TestFn<Target>
const lacking = await whyNoKubernetes()
const onCluster = lacking === undefined ? test.serial : test.serial.skip
const skipped = lacking === undefined ? '' : ` (skipped: ${lacking})`

const exec = promisify(execFile)
const IN_NAMESPACE = '--namespace=family-inbox'
/** Above what one key may call in production. */
const SETTINGS = { TOOL_CALLS_PER_MINUTE: '1000000' }
/** A call that waited longer, for one of the two processors or for a new primary, missed its deadline. */
const LATE_MS = 1000
const MOST_LATE = 1 / 100
/** On the way of a call or of a mail. */
const CALLED = ['gateway', 'auth', 'care-circle', 'inbox']
/** As docs/operations.md says: tokens of services are valid for one minute. */
const OLD_TOKENS_MS = 120_000

let usedAt = 0
/** Of the gateway’s certificate, once it serves HTTPS. */
let authority: string | undefined
let applied: Additions['settings'] = SETTINGS

test.before('start a cluster of three nodes, with three of each store', async (t) => {
  if (lacking !== undefined) return
  const kubernetes = await startKubernetes((line) => t.log(line))
  t.context = { kubernetes } as Target
  await prepareThreeOfEachStore(kubernetes.layout)
  await apply(kubernetes)
  await kubernetes.kubectl(IN_NAMESPACE, 'wait', '--for=condition=Ready', 'pods', '--all', '--timeout=500s')
  t.context.family = await seedOn(kubernetes)
})

test.after.always('end the cluster', async ({ context: { kubernetes } }) => {
  await kubernetes?.[Symbol.asyncDispose]()
})

onCluster(`every service gets a new key of auth, and is replaced at the same time${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await disturb(t, async () => {
    await rotate(kubernetes, 'introduce')
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
  try {
    await disturb(t, async () => {
      await kubernetes.kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s')
      await rolledOut(kubernetes)
      await kubernetes.kubectl('uncordon', node)
      await kubernetes.kubectl(IN_NAMESPACE, 'wait', '--for=condition=Ready', 'pods', '--all', '--timeout=300s')
    })
  } finally {
    await scale(kubernetes, 1)
  }
})

onCluster(`the primary of three mongods steps down${skipped}`, async (t) => {
  await disturb(t, () => stepDown(t.context.kubernetes))
})

onCluster(`one of three servers of NATS is killed, which leads what waits to be sent${skipped}`, async (t) => {
  await disturb(t, () => killLeader(t.context.kubernetes, 'OUTGOING_MAIL'))
})

onCluster(`the old key of auth is retired, and TLS introduced beside plain text${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await makeCertificates(kubernetes)
  await sleep(Math.max(0, usedAt + OLD_TOKENS_MS - Date.now()))
  await disturb(t, async () => {
    await rotate(kubernetes, 'retire', { components: ['tls', 'tls-introduce'] })
    await rolledOut(kubernetes)
  })
  t.is(await refusedByNats(kubernetes), 0)
})

onCluster(
  `services call each other with TLS, and the proxy in front calls the gateway with it${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    authority = AUTHORITY
    await disturb(t, async () => {
      await apply(kubernetes, { components: ['tls', 'tls-use'] })
      await rolledOut(kubernetes)
    })
  },
)

onCluster(`plain text is no longer accepted${skipped}`, async (t) => {
  const { kubernetes, family } = t.context
  await disturb(t, async () => {
    await apply(kubernetes, { components: ['tls'] })
    await rolledOut(kubernetes)
  })
  await t.throwsAsync(callTool(kubernetes, family.keys.owner, 'list_loved_ones', {}))
})

/** Under load: no call is refused, few are late, and no accepted mail is lost or there twice. */
async function disturb(t: ExecutionContext<Target>, how: () => Promise<unknown>): Promise<void> {
  const { calls, accepted, lost, doubled } = await underLoad({ ...t.context, authority }, how)
  const { answered, failed, failures, medianMs, p99Ms, slowestMs } = calls
  t.log(`${failed} of ${answered} calls failed; median ${medianMs} ms, 99% ${p99Ms} ms, slowest ${slowestMs} ms`)
  t.log(`${accepted} mails accepted`)
  const waited = (failure: string) => Number(/ after (\d+) ms$/.exec(failure)?.[1] ?? 0)
  t.deepEqual(
    failures.filter((failure) => waited(failure) < LATE_MS),
    [],
  )
  t.true(failed <= answered * MOST_LATE, failures.join('\n'))
  t.deepEqual({ lost, doubled }, { lost: [], doubled: [] })
}

/** As cert-manager would write them. */
async function makeCertificates({ layout }: Kubernetes): Promise<void> {
  const named = Object.entries(CERTIFICATES).map(([name, pair]): [string, typeof pair] => [`${name}-tls`, pair])
  const https = CERTIFICATES.gateway
  if (https) named.push(['gateway-https', https])
  const items = named.map(([name, { certificate, key }]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'family-inbox' },
    stringData: { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': AUTHORITY },
  }))
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await kubectl(layout, ['apply', '--server-side', '-f', '-'], { input })
}

/** One step of docs/operations.md, “Replace keys”. It replaces the pods that read what changed. */
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
async function nodeToDrain({ kubectl: run }: Kubernetes): Promise<string> {
  const mailpit = JSON.parse(await run(IN_NAMESPACE, 'get', 'pod', 'mailpit-0', '--output=json'))
  return mailpit.spec.nodeName === 'n3' ? 'n2' : 'n3'
}

/** The overlay, as it was last applied unless something else is given. */
async function apply(kubernetes: Kubernetes, { components = [], settings = applied }: Additions = {}): Promise<void> {
  applied = settings
  await kubernetes.apply('local', { components: [THREE_OF_EACH_STORE, ...components], settings })
}

async function rolledOut({ kubectl: run }: Kubernetes): Promise<void> {
  await run(IN_NAMESPACE, 'rollout', 'status', 'deployment', '--timeout=500s')
}

import { join } from 'node:path'
import { buildOverlay, K8S, type Overlay } from '@family-inbox/deploy/cluster/apply'
import { kubectl } from '@family-inbox/deploy/cluster/inside'
import { rotateKey } from '@family-inbox/deploy/key-folder'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import { type Kubernetes, startKubernetesApi, whyNoKubernetes } from './_kubernetes.ts'

const test = anyTest as TestFn<{ kubernetes: Kubernetes }>
const lacking = await whyNoKubernetes()
const onCluster = lacking === undefined ? test.serial : test.serial.skip
const skipped = lacking === undefined ? '' : ` (skipped: ${lacking})`

test.before('start an API server', async (t) => {
  if (lacking !== undefined) return
  t.context = { kubernetes: await startKubernetesApi((line) => t.log(line)) }
})

test.after.always('end it', async ({ context: { kubernetes } }) => {
  await kubernetes?.[Symbol.asyncDispose]()
})

type Change = readonly [title: string, patch: object[], answer: RegExp]

const POD = '/spec/template/spec'
const CONTAINER = `${POD}/containers/0`
const LABELS = '/spec/template/metadata/labels'

// Where two policies refuse a change, the answer is that of either.
const BY_DIGEST = `first@sha256:${'0'.repeat(64)}`

const REFUSED: readonly [Change, ...Change[]] = [
  ['no readiness probe', [{ op: 'remove', path: `${CONTAINER}/readinessProbe` }], /need a readinessProbe.*: service/],
  ['no liveness probe', [{ op: 'remove', path: `${CONTAINER}/livenessProbe` }], /livenessProbe: service/],
  [
    'no limit of memory',
    [{ op: 'remove', path: `${CONTAINER}/resources/limits/memory` }],
    /limits of cpu and memory: service/,
  ],
  ['no requests', [{ op: 'remove', path: `${CONTAINER}/resources/requests` }], /requests and limits .*: service/],
  [
    'an init container without limits',
    [{ op: 'add', path: `${POD}/initContainers`, value: [{ name: 'first', image: BY_DIGEST }] }],
    /limits of cpu and memory: first/,
  ],
  [
    'no label of the product',
    [{ op: 'remove', path: `${LABELS}/app.kubernetes.io~1part-of` }],
    /app.kubernetes.io\/part-of/,
  ],
  [
    'a label of another product',
    [{ op: 'replace', path: `${LABELS}/app.kubernetes.io~1part-of`, value: 'other' }],
    /part-of=family-inbox/,
  ],
]

const BY_TAG = [{ op: 'replace', path: `${CONTAINER}/image`, value: 'family-inbox/gateway:0.3.0' }]

expectTaken('local')
expectTaken('local', 'tls', 'traces')

onCluster(`the API server says when a change would be made${skipped}`, async (t) => {
  const { kubernetes } = t.context
  const error = await t.throwsAsync(kubernetes.diff('local', { settings: { LOG_LEVEL: 'debug' } }))
  t.regex(error.message, /\+ +LOG_LEVEL: debug/)
})

onCluster(
  `with the component “admission”, a workload that lacks what all have is refused, with what it lacks${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    await kubernetes.apply('local', { components: ['admission'] })
    await waitUntilRefused(kubernetes, REFUSED[0])
    for (const [title, patch, answer] of REFUSED) t.regex(await answerTo(kubernetes, patch), answer, title)
    t.is(await answerTo(kubernetes, BY_TAG), '', 'images of this overlay have tags')
    await kubernetes.apply('local', { components: ['admission'] })
    await untilNoChange(kubernetes, 'local', ['admission'])
  },
)

// An autoscaler then decides how many replicas there are, so the overlays with one of each are applied before.
expectTaken('production')
expectTaken('production', 'gateway-api', 'traces')
expectTaken('production', 'node-local-dns', 'openshift-dns')
expectTaken('production', 'keda')
expectTaken('production', 'backup', 'quota')

onCluster(
  `the API server takes the secrets from elsewhere, and the examples of MongoDB and NATS, without a warning${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    await kubernetes.apply('production')
    await kubernetes.kubectl('apply', '--server-side', '--filename', await kubernetes.operatorResources())
    await kubernetes.kubectl('wait', '--for=condition=Established', 'customresourcedefinitions', '--all')
    const applied = await kubernetes.apply('production', { components: ['external-secrets'] })
    t.regex(applied, /externalsecret.external-secrets.io\/auth serverside-applied/)
    for (const example of ['mongodb-community', 'mongodb-percona', 'nats']) {
      const file = join(K8S, 'examples', `${example}.yaml`)
      await t.notThrowsAsync(kubernetes.kubectl('apply', '--server-side', '--warnings-as-errors', '--filename', file))
    }
    const misspelt = join(K8S, 'examples/mongodb-percona.yaml')
    const patch = JSON.stringify({ spec: { replsets: [{ name: 'rs0', sise: 3 }] } })
    const change = ['patch', '--filename', misspelt, '--type=merge', `--patch=${patch}`, '--dry-run=server']
    await t.throwsAsync(kubernetes.kubectl(...change), { message: /sise|size/ }, 'a field that does not exist')
  },
)

onCluster(`in production, the component “admission” refuses an image by its tag${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await kubernetes.apply('production', { components: ['admission'] })
  await waitUntilRefused(kubernetes, ['a tag', BY_TAG, /./])
  t.regex(await answerTo(kubernetes, BY_TAG), /named by their digest.*These are not: family-inbox\/gateway:0\.3\.0/)
  for (const [title, patch, answer] of REFUSED) t.regex(await answerTo(kubernetes, patch), answer, title)
  await kubernetes.apply('production', { components: ['admission'] })
  await untilNoChange(kubernetes, 'production', ['admission'])
})

onCluster(`with the component “quota”, a pod past what the namespace may take is refused${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await kubernetes.apply('production', { components: ['quota'] })
  // The quota has room for 12 processors, and our pods have requests, too.
  const made: string[] = []
  const refusal = await waitFor(
    async () => {
      if (made.length > 12) throw new Error(`${made.length} pods of two processors were taken`)
      const problem = await createPod(kubernetes, `large-${made.length}`, { cpu: '2', memory: '1Gi' })
      if (problem === '') made.push(`pod/large-${made.length}`)
      return problem || undefined
    },
    { timeoutMs: 60_000, everyMs: 500, timeout: () => new Error('No pod is refused') },
  )
  t.regex(refusal, /exceeded quota: family-inbox, requested: .*requests.cpu=2/)
  t.true(made.length > 0, 'and before, they are taken')
  await kubernetes.kubectl('--namespace=family-inbox', 'delete', '--grace-period=0', '--force', ...made)
  t.regex(await createPod(kubernetes, 'huge', { cpu: '3', memory: '1Gi' }), /maximum cpu usage per Container is 2/)
})

onCluster(
  `with it, a container without requests and limits gets some, and ours go before others${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    t.is(await createPod(kubernetes, 'silent'), '')
    const silent = await specOf(kubernetes, 'pod/silent')
    t.deepEqual(silent.containers[0].resources, {
      requests: { cpu: '50m', memory: '64Mi', 'ephemeral-storage': '64Mi' },
      limits: { cpu: '500m', memory: '256Mi', 'ephemeral-storage': '256Mi' },
    })
    await kubernetes.kubectl('--namespace=family-inbox', 'delete', '--grace-period=0', '--force', 'pod/silent')
    const ours = await specOf(
      kubernetes,
      'pod',
      '--selector=app.kubernetes.io/name=gateway',
      '--sort-by=.metadata.creationTimestamp',
    )
    t.is(ours.priority, 10_000)
    t.is(silent.priority, 0)
  },
)

onCluster(`the policies of the component “admission” leave workloads of others alone${skipped}`, async (t) => {
  const { kubernetes } = t.context
  const made = await kubernetes.kubectl('create', 'deployment', 'other', '--image=other/image:1', '--namespace=default')
  t.regex(made, /created/)
})

// Last, since it applies as docs/operations.md says, and the tests above on the server.
onCluster(
  `a changed key comes as a new Secret, and pruning removes the one that nothing reads${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    const { layout } = kubernetes
    const input = () => buildOverlay(layout, 'local')
    const names = async () => {
      const listed = ['get', 'secrets', '--selector=family-inbox/made-from=keys', '--output=name']
      return (await kubernetes.kubectl('--namespace=family-inbox', ...listed)).trim().split('\n')
    }
    const prune = ['--prune-allowlist=core/v1/Secret', '--prune-allowlist=core/v1/ConfigMap']
    const selected = ['--selector=family-inbox/made-from=keys', '--prune', ...prune]
    await kubernetes.kubectl('delete', 'namespace', 'family-inbox', '--wait')
    await kubectl(layout, ['apply', '-f', '-'], { input: await input() })
    const before = await names()
    await rotateKey(layout.keys, 'auth', 'OIDC_COOKIE_KEYS', 'introduce')
    await kubectl(layout, ['apply', '-f', '-'], { input: await input() })
    t.is((await names()).length, before.length + 1, 'the old one is kept, for a rollback')
    await kubectl(layout, ['apply', '-f', '-', ...selected], { input: await input() })
    const after = await names()
    t.is(after.length, before.length)
    t.is(before.filter((name) => !after.includes(name)).length, 1)
  },
)

/** Asks for a change of the gateway without making it. @returns why it was refused; empty if it was not */
async function answerTo({ kubectl }: Kubernetes, patch: object[]): Promise<string> {
  const change = ['--type=json', `--patch=${JSON.stringify(patch)}`, '--dry-run=server']
  return kubectl('--namespace=family-inbox', 'patch', 'deployment', 'gateway', ...change).then(
    () => '',
    (error: Error) => error.message,
  )
}

/** @returns why it was refused; empty if it was not */
async function createPod({ kubectl }: Kubernetes, name: string, requests?: Record<string, string>): Promise<string> {
  const securityContext = {
    ...{ runAsNonRoot: true, runAsUser: 10_001, allowPrivilegeEscalation: false },
    ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
  }
  const resources = requests && { requests, limits: requests }
  const spec = { containers: [{ name: 'only', image: 'other/image:1', securityContext, resources }] }
  const overrides = `--overrides=${JSON.stringify({ apiVersion: 'v1', spec })}`
  return kubectl('--namespace=family-inbox', 'run', name, '--image=other/image:1', overrides).then(
    () => '',
    (error: Error) => error.message,
  )
}

async function specOf({ kubectl }: Kubernetes, ...what: string[]) {
  const found = JSON.parse(await kubectl('--namespace=family-inbox', 'get', ...what, '--output=json'))
  return (found.items?.at(-1) ?? found).spec
}

/** The API server takes a moment to read a new policy. */
function waitUntilRefused(kubernetes: Kubernetes, [title, patch]: Change): Promise<true> {
  return waitFor(async () => (await answerTo(kubernetes, patch)) !== '' || undefined, {
    timeoutMs: 60_000,
    everyMs: 500,
    timeout: () => new Error(`${title} is not refused`),
  })
}

/** Controllers take a moment to report what they changed. @throws when applying an overlay again would change something */
async function untilNoChange(kubernetes: Kubernetes, overlay: Overlay, components: readonly string[]): Promise<void> {
  let found: unknown
  const isSame = () =>
    kubernetes.diff(overlay, { components }).then(
      () => true as const,
      (error) => {
        found = error
        return undefined
      },
    )
  await waitFor(isSame, { timeoutMs: 60_000, everyMs: 500, timeout: () => new Error(`It would change: ${found}`) })
}

/** Declares the test of an overlay, with components. */
function expectTaken(overlay: Overlay, ...components: string[]): void {
  const name = [`the overlay “${overlay}”`, ...components.map((component) => `“${component}”`)].join(' with ')
  onCluster(
    `the API server takes ${name} without a warning, and the second time changes nothing${skipped}`,
    async (t) => {
      const { kubernetes } = t.context
      const first = await kubernetes.apply(overlay, { components })
      t.regex(first, /deployment.apps\/gateway serverside-applied/)
      await kubernetes.apply(overlay, { components })
      await untilNoChange(kubernetes, overlay, components)
    },
  )
}

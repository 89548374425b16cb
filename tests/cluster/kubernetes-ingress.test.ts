import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import { makeTlsFolder } from '../tls/_tls-folder.ts'
import { AUTHORITY, CERTIFICATES } from './_certificates.ts'
import { type Kubernetes, seedOn, startKubernetes } from './_kubernetes.ts'
import { type Answered, applyCertificates, askFromInternet, startTraefik, whyNoTraefik } from './_traefik.ts'

const test = anyTest as TestFn<{ kubernetes: Kubernetes }>
const lacking = await whyNoTraefik()
const onCluster = lacking === undefined ? test.serial : test.serial.skip
const skipped = lacking === undefined ? '' : ` (skipped: ${lacking})`

/** Its certificate is good for any caller of a service. */
const GATEWAY = CERTIFICATES.gateway ?? { certificate: '', key: '' }
const IN_NAMESPACE = '--namespace=family-inbox'
const TRANSPORT = 'traefik.ingress.kubernetes.io/service.serverstransport'
const HOSTS = {
  site: 'family-inbox.localhost',
  api: 'api.family-inbox.localhost',
  inbox: 'inbox.family-inbox.localhost',
}
const SETTINGS = {
  BASE_URL: `https://${HOSTS.site}`,
  API_URL: `https://${HOSTS.api}`,
  INBOX_URL: `https://${HOSTS.inbox}`,
  TRUSTED_PROXIES: '1',
}

const LIST_LOVED_ONES = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_loved_ones' } }

/** What production has and “local” lacks, but for the stores: TLS between services, and what tells Traefik to use it. */
const AS_IN_PRODUCTION = {
  components: ['tls'],
  settings: SETTINGS,
  patches: [{ file: 'overlays/production/ingress-controller.yaml' }],
  files: ['overlays/production/ingress-controller-tls.yaml'],
}

/** The hosts of this overlay, in the component for production. */
const LOCAL_HOSTS = [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'family-inbox' },
    spec: {
      listeners: Object.entries(HOSTS).map(([name, hostname]) => ({
        ...{ name, hostname, port: 443, protocol: 'HTTPS' },
        tls: { certificateRefs: [{ name: `family-inbox-${name}-tls` }] },
      })),
    },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'gateway' },
    spec: { hostnames: Object.values(HOSTS) },
  },
].map((patch) => ({ yaml: JSON.stringify(patch) }))

/** Of the family’s owner. */
let key: string

test.before('start a cluster', async (t) => {
  if (lacking !== undefined) return
  t.context = { kubernetes: await startKubernetes((line) => t.log(line)) }
})

test.after.always('end the cluster', async ({ context }) => {
  await context.kubernetes?.[Symbol.asyncDispose]()
})

onCluster(`with TLS between all services, behind Traefik, everything becomes ready${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await startTraefik(kubernetes, (line) => t.log(line))
  await applyCertificates(kubernetes, 'family-inbox-site-tls', 'family-inbox-api-tls', 'family-inbox-inbox-tls')
  await kubernetes.apply('local', AS_IN_PRODUCTION)
  const ready = ['wait', '--for=condition=Ready', 'pods', '--all', '--timeout=400s']
  await t.notThrowsAsync(kubernetes.kubectl(IN_NAMESPACE, ...ready))
})

onCluster(`a tool is called from the internet, through Traefik and TLS between all services${skipped}`, async (t) => {
  const { kubernetes } = t.context
  await using tls = await makeTlsFolder(GATEWAY, AUTHORITY)
  key = (await seedOn(kubernetes, tls.dir)).keys.owner
  t.regex((await untilStatus(kubernetes, 200)).body, /Rosa/)
})

onCluster(
  `without the ServersTransport, Traefik refuses the certificate of the gateway, and with it, it accepts it${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    const annotate = (change: string) => kubernetes.kubectl(IN_NAMESPACE, 'annotate', 'service/gateway', change)
    await annotate(`${TRANSPORT}-`)
    const refused = await untilStatus(kubernetes, 500)
    t.is(refused.body, 'Internal Server Error', 'the answer is Traefik’s own')
    await annotate(`${TRANSPORT}=family-inbox-gateway@kubernetescrd`)
    t.regex((await untilStatus(kubernetes, 200)).body, /Rosa/)
  },
)

onCluster(
  `through the Gateway API, too, a tool is answered only when Traefik knows our authority${skipped}`,
  async (t) => {
    const { kubernetes } = t.context
    const { settings } = AS_IN_PRODUCTION
    await kubernetes.kubectl(IN_NAMESPACE, 'delete', 'ingress/gateway', 'serverstransport/gateway')
    await untilStatus(kubernetes, 404)
    const components = ['tls', 'gateway-api']
    await kubernetes.apply('local', { components, settings, patches: LOCAL_HOSTS })
    await untilStatus(kubernetes, 500)
    const authority = await kubernetes.kubectl(
      ...[IN_NAMESPACE, 'get', 'secret/gateway-https', '--output=go-template={{index .data "ca.crt" | base64decode}}'],
    )
    await kubernetes.kubectl(
      IN_NAMESPACE,
      'create',
      'configmap',
      'gateway-https-ca',
      `--from-literal=ca.crt=${authority}`,
    )
    t.regex((await untilStatus(kubernetes, 200)).body, /Rosa/)
  },
)

function listLovedOnes(kubernetes: Kubernetes): Promise<Answered> {
  return askFromInternet(kubernetes, { host: HOSTS.api, path: '/mcp/v1', key, body: LIST_LOVED_ONES })
}

/** Traefik takes a moment to follow a change. */
async function untilStatus(kubernetes: Kubernetes, expected: number): Promise<Answered> {
  let last: Answered | undefined
  return waitFor(
    async () => {
      last = await listLovedOnes(kubernetes)
      return last.status === expected ? last : undefined
    },
    {
      timeoutMs: 120_000,
      everyMs: 500,
      timeout: () => new Error(`The status is not ${expected}, but ${last?.status}: ${last?.body}`),
    },
  )
}

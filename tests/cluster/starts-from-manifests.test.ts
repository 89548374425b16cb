import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { seedDemo } from '@family-inbox/ops/demo-seed'
import { runOps } from '@family-inbox/ops/run-ops'
import anyTest, { type TestFn } from 'ava'
import { send } from '../_family.ts'
import { memoryOf } from '../_memory.ts'
import { readUntil } from '../_wait.ts'
import { makeTlsFolder } from '../tls/_tls-folder.ts'
import { AUTHORITY, CERTIFICATES } from './_certificates.ts'
import { codeOfServices } from './_code.ts'
import { type Built, buildOverlays, buildWithComponent, type Manifest, theOnly } from './_manifests.ts'
import { hasContainers, layOutImage, type Machine, openMachine, type RunningPod } from './_pods.ts'
import { probe } from './_probes.ts'
import { startStores } from './_stores.ts'

type World = {
  built: Built
  deployments: Map<string, Manifest>
  pods: Map<string, RunningPod>
  machine: Machine
  keys: string
  natsUrl: string
  images: Map<string, string>
  stack: AsyncDisposableStack
}

const test = anyTest as TestFn<World>
const onLinux = hasContainers ? test.serial : test.serial.skip

const START_MS = 90_000

/** Of the seeded family, for later tests. */
let ownerKey = ''

test.before('start every service from its manifests, image and keys', async (t) => {
  if (!hasContainers) return
  const stack = new AsyncDisposableStack()
  t.context = { stack, pods: new Map(), deployments: new Map() } as unknown as World
  const [built] = (await buildOverlays()).filter(({ name }) => name === 'local')
  if (!built) throw new Error('the overlay local is missing')
  const services = [...codeOfServices().keys()]
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-cluster-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const { natsUrl, keys } = await startStores(stack, dir)
  const machine = stack.use(await openMachine(built, services))
  const images = new Map<string, string>()
  Object.assign(t.context, { built, machine, keys, natsUrl, images })
  for (const name of services) {
    const deployment = theOnly(built, 'Deployment', name)
    t.context.deployments.set(name, deployment)
    images.set(name, stack.use(await layOutImage(name)).dir)
    const image = images.get(name) ?? ''
    t.context.pods.set(name, await machine.start(deployment, { image, keys, instead: { NATS_URL: natsUrl } }))
  }
})

test.after.always('stop everything', async (t) => {
  await t.context.stack?.disposeAsync()
})

onLinux('each probe of each service succeeds', async (t) => {
  for (const [name, deployment] of t.context.deployments) {
    const { address, exit, output } = podOf(t.context, name)
    for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      await waitFor(async () => exit() !== undefined || (await probe(deployment, kind, address)) || undefined, {
        timeoutMs: START_MS,
        everyMs: 100,
        timeout: () => new Error(`${name}: its ${kind} does not succeed\n${output()}`),
      })
      t.is(exit(), undefined, `${name} ended: ${output()}`)
    }
  }
})

onLinux('each runs as the numeric user, without capabilities, and can write to nothing but /tmp', async (t) => {
  for (const [name, deployment] of t.context.deployments) {
    const { pid } = podOf(t.context, name)
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    t.regex(status, /^CapEff:\t0+$/m, name)
    t.regex(status, /^CapBnd:\t0+$/m, name)
    t.regex(status, /^NoNewPrivs:\t1$/m, name)
    const { runAsUser } = deployment.spec.template.spec.securityContext
    if (process.getuid?.() === 0) t.regex(status, new RegExp(`^Uid:\t${runAsUser}\t${runAsUser}`, 'm'), name)
    for (const folder of ['', '/app', '/etc', '/usr', '/node', '/run/secrets/family-inbox']) {
      await t.throwsAsync(
        writeFile(`/proc/${pid}/root${folder}/new`, ''),
        { code: 'EROFS' },
        `${name}: ${folder || '/'}`,
      )
    }
    await t.notThrowsAsync(writeFile(`/proc/${pid}/root/tmp/new`, ''))
  }
})

onLinux(
  'the services find each other through the manifests: a family is seeded and its mail read through the gateway',
  async (t) => {
    const { machine, keys, built, pods } = t.context
    const gateway = `http://${machine.addressOf('gateway')}:8080`
    await waitFor(async () => (await send(`${gateway}/readyz`)).status === 200 || undefined, {
      timeoutMs: START_MS,
      everyMs: 200,
      timeout: () => new Error([...pods.values()].map(({ name, output }) => `${name}: ${output()}`).join('\n')),
    })
    const json = async (file: string) => JSON.parse(await readFile(join(keys, file), 'utf8'))
    const grpc = (service: string) => `${machine.addressOf(service)}:50051`
    const family = await seedDemo({
      addresses: { auth: grpc('auth'), 'care-circle': grpc('care-circle'), inbox: grpc('inbox'), pipe: grpc('pipe') },
      apiUrl: gateway,
      smtp: { host: machine.addressOf('inbox'), port: 2525 },
      serviceKey: await json('ops/SERVICE_KEY'),
      serviceKeys: await json('service-keys/SERVICE_KEYS'),
    })
    const { API_URL = '', BASE_URL = '' } = theOnly(built, 'ConfigMap', 'settings').data ?? {}
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_loved_ones', arguments: {} } }
    const answer = await send(`${gateway}/mcp/v1`, {
      method: 'POST',
      headers: {
        host: new URL(API_URL).host,
        'content-type': 'application/json',
        authorization: `Bearer ${family.keys.owner}`,
      },
      body: JSON.stringify(call),
    })
    ownerKey = family.keys.owner
    t.is(answer.status, 200)
    t.is(answer.json.result.structuredContent.lovedOnes.length, family.lovedOnes.length)
    const page = await send(`${gateway}/`, { headers: { host: new URL(BASE_URL).host } })
    t.is(page.status, 200)
    t.regex(page.text, /<html/)
  },
)

onLinux('each stays below the memory it asks for, so that two on a node fit', async (t) => {
  for (const [name, deployment] of t.context.deployments) {
    const { limits } = deployment.spec.template.spec.containers[0].resources
    const { residentMb } = memoryOf(podOf(t.context, name).pid)
    t.log(`${name}: ${residentMb.toFixed(0)} Mi`)
    t.true(residentMb < mebibytes(limits.memory), `${name}: ${residentMb}`)
  }
})

onLinux('after SIGTERM, each stops within its grace period without an error', async (t) => {
  const ended = [...t.context.deployments].map(async ([name, deployment]) => {
    const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec
    const left = terminationGracePeriodSeconds - containers[0].lifecycle.preStop.sleep.seconds
    const { stop, output } = podOf(t.context, name)
    t.deepEqual(await stop(left * 1000), { code: 0, signal: null }, `${name}: ${output()}`)
  })
  await Promise.all(ended)
})

onLinux('with the TLS component they start again, and a call goes through HTTPS and mutual TLS', async (t) => {
  const { images, keys, natsUrl, deployments: plain } = t.context
  const built = await buildWithComponent('local', 'tls')
  await using machine = await openMachine(built, [...plain.keys()])
  const pods = new Map<string, RunningPod>()
  for (const name of plain.keys()) {
    const image = images.get(name) ?? ''
    const options = { image, keys, instead: { NATS_URL: natsUrl }, mounted: certificateOf }
    pods.set(name, await machine.start(theOnly(built, 'Deployment', name), options))
  }
  for (const [name, { address, output }] of pods) {
    for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      await waitFor(async () => (await probe(theOnly(built, 'Deployment', name), kind, address)) || undefined, {
        timeoutMs: START_MS,
        everyMs: 100,
        timeout: () => new Error(`${name}: its ${kind} does not succeed with TLS\n${output()}`),
      })
    }
  }
  const settings = theOnly(built, 'ConfigMap', 'settings').data ?? {}
  const ask = (url: string, options: Asked = {}) => askByTls(machine.addressOf('gateway'), url, options)
  const isReady = async () => (await ask(`${settings.BASE_URL}/readyz`)).status === 200 || undefined
  await waitFor(isReady, {
    timeoutMs: START_MS,
    everyMs: 200,
    timeout: () => new Error([...pods.values()].map(({ name, output }) => `${name}: ${output()}`).join('\n')),
  })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_loved_ones', arguments: {} } }
  const listed = await readUntil(
    () => ask(`${settings.API_URL}/mcp/v1`, { key: ownerKey, body: JSON.stringify(call) }),
    ({ text }) => !text.includes('try again in a moment'),
  )
  t.regex(listed.text, /inboxAddress/)
  t.regex((await ask(`${settings.BASE_URL}/`)).text, /<html/, 'a page comes from site by HTTPS')
  t.is(
    await listPartners(t.context, machine),
    0,
    'the operator command reaches services at addresses no certificate names',
  )
  const metadata = await ask(`${settings.INBOX_URL}/.well-known/oauth-authorization-server`)
  t.is(metadata.status, 200, 'OAuth comes from auth by HTTPS')
  for (const [service, path] of [
    ['site', '/sign-in'],
    ['auth', '/.well-known/oauth-authorization-server'],
  ] as const) {
    const stranger = await askByTls(machine.addressOf(service), `http://${service}:8080${path}`, {})
    t.is(stranger.status, 403, `${service} says nothing to who shows no certificate`)
    await t.throwsAsync(send(`http://${machine.addressOf(service)}:8080${path}`), undefined, 'nor without TLS')
  }
})

/** Lists partners as through forwarded ports. Returns the exit code of the operator command. */
async function listPartners({ keys }: World, machine: Machine): Promise<number> {
  // Any certificate by the authority lets a caller in; its key says who calls.
  const { certificate = '', key = '' } = CERTIFICATES.sandbox ?? {}
  await using folder = await makeTlsFolder({ certificate, key }, AUTHORITY)
  const addresses = Object.entries({ AUTH: 'auth', CARE_CIRCLE: 'care-circle', INBOX: 'inbox', PIPE: 'pipe' }).map(
    ([name, service]) => [`${name}_ADDRESS`, `${machine.addressOf(service)}:50051`],
  )
  const files = {
    SERVICE_KEY_FILE: join(keys, 'ops/SERVICE_KEY'),
    SERVICE_KEYS_FILE: join(keys, 'service-keys/SERVICE_KEYS'),
    GRPC_TLS_DIR: folder.dir,
  }
  const env = { ...Object.fromEntries(addresses), ...files }
  return runOps(['partners', 'list'], { env, out() {}, err: (text) => void process.stderr.write(text) })
}

/** What cert-manager would write into the Secret. */
function certificateOf(secret: string): Record<string, string> {
  const pair = CERTIFICATES[secret.replace(/-(tls|https)$/, '')]
  if (!pair) throw new Error(`nobody makes the certificate ${secret}`)
  return { 'tls.crt': pair.certificate, 'tls.key': pair.key, 'ca.crt': AUTHORITY }
}

type Asked = { key?: string; body?: string }

/** Requests a URL from a pod over HTTPS, trusting only the cluster's authority. */
async function askByTls(pod: string, url: string, { key, body }: Asked): Promise<{ status: number; text: string }> {
  const { host, pathname } = new URL(url)
  const headers = { host, 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const servername = host.startsWith('site') || host.startsWith('auth') ? host.split(':')[0] : 'gateway'
  const options = { host: pod, port: 8080, path: pathname, servername, ca: AUTHORITY, headers, agent: false } as const
  const asked = request({ ...options, method: body === undefined ? 'GET' : 'POST' }).end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, text: await text(answer) }
}

function mebibytes(quantity: string): number {
  return Number.parseInt(quantity, 10) * (quantity.endsWith('Gi') ? 1024 : 1)
}

function podOf({ pods }: World, name: string): RunningPod {
  const pod = pods.get(name)
  if (!pod) throw new Error(`${name} was not started`)
  return pod
}

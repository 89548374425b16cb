import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type Additions, applyOverlay, buildOverlay, type Overlay } from '@family-inbox/deploy/cluster/apply'
import { down } from '@family-inbox/deploy/cluster/down'
import { kubectl, startInside, startOnInternet } from '@family-inbox/deploy/cluster/inside'
import { operatorResources } from '@family-inbox/deploy/cluster/programs/custom-resources'
import { cachedPrograms, findPrograms, whyNotHere } from '@family-inbox/deploy/cluster/programs/programs'
import { type Layout, layoutIn, NODES, type NodeNumber, nodeAddress } from '@family-inbox/deploy/cluster/system/layout'
import { up } from '@family-inbox/deploy/cluster/up'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { readUntil } from '../_wait.ts'
import type { LoadOptions, LoadResult } from './_load-in-pod.ts'
import type { MailOptions } from './_mail-from-internet.ts'

const HOST = 'api.family-inbox.localhost:8080'
/** Its port is the same with and without TLS. */
const gateway = (authority?: string) => `${authority === undefined ? 'http' : 'https'}://gateway.family-inbox:80`
const NAMESPACE = '--namespace=family-inbox'

/** Why there can be no cluster here; undefined if there can. */
export async function whyNoKubernetes(): Promise<string | undefined> {
  const problem = whyNotHere()
  if (problem !== undefined) return problem
  return (await cachedPrograms(readEnvironment())) ? undefined : 'Kubernetes is not built: run npm run cluster -- build'
}

/** Builds Kubernetes if `TEST_CLUSTER=build` asks for it: that takes longer than a test may. */
export async function buildKubernetesIfAsked(search: Search): Promise<void> {
  if (search.env.TEST_CLUSTER === 'build' && whyNotHere() === undefined) await findPrograms(search)
}

export type Kubernetes = AsyncDisposable & {
  layout: Layout
  kubectl(...args: string[]): Promise<string>
  /** Applies an overlay of `deploy/k8s`. @returns what kubectl printed */
  apply(overlay: Overlay, additions?: Additions): Promise<string>
  /** What applying it again would change, as kubectl shows it. */
  diff(overlay: Overlay, additions?: Additions): Promise<string>
  /** The definitions of resources of other projects that `deploy/k8s/examples` use. @returns their folder */
  operatorResources(): Promise<string>
}

/** Starts a cluster of three nodes with nothing on it but pods that visit the product. */
export async function startKubernetes(say: (line: string) => void): Promise<Kubernetes> {
  const kubernetes = await started(say, NODES)
  await kubectl(kubernetes.layout, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(VISITORS) })
  return kubernetes
}

/** Starts an API server that has no nodes: it takes objects, and nothing runs. */
export function startKubernetesApi(say: (line: string) => void): Promise<Kubernetes> {
  return started(say, [])
}

async function started(say: Search['say'], nodes: readonly NodeNumber[]): Promise<Kubernetes> {
  await using cleanUp = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-kubernetes-'))
  cleanUp.defer(() => rm(dir, { recursive: true, force: true }))
  const layout = layoutIn(join(dir, 'cluster'))
  cleanUp.defer(async () => void (await down(layout)))
  const search = { env: readEnvironment(), say }
  await up(layout, search, { nodes, endsWithCaller: true })
  const owned = cleanUp.move()
  return {
    layout,
    kubectl: (...args) => kubectl(layout, args),
    apply: (overlay, additions = {}) => applyOverlay(layout, overlay, additions, search),
    async diff(overlay, additions) {
      const input = await buildOverlay(layout, overlay, additions)
      return kubectl(layout, ['diff', '--server-side', '-f', '-'], { input })
    },
    operatorResources: () => operatorResources(search),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The only pod that the policies let call the gateway, on the node that no test ends; and one that only looks like it. */
const VISITORS = {
  apiVersion: 'v1',
  kind: 'List',
  items: ['traefik', 'stranger'].flatMap((namespace) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'traefik', namespace, labels: { 'app.kubernetes.io/name': 'traefik' } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': 'n1' },
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'traefik', image: 'local/tools:1' }],
      },
    },
  ]),
}

const IN_POD = ['exec', '--stdin', '--namespace=traefik', 'traefik', '--']

export type PodLoad = { stop(): Promise<LoadResult> }

/** Calls tools from the ingress controller's pod until stopped. Resolves when the first is answered. */
export async function startPodLoad(
  { layout }: Kubernetes,
  options: Pick<LoadOptions, 'key' | 'clients' | 'paceMs' | 'authority'> & {
    calls: { name: string; arguments: object }[]
  },
): Promise<PodLoad> {
  const { calls, ...rest } = options
  const bodies = calls.map((params, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
  const argument = JSON.stringify({ ...rest, bodies, url: gateway(rest.authority), host: HOST } satisfies LoadOptions)
  const source = await readFile(join(import.meta.dirname, '_load-in-pod.ts'), 'utf8')
  const program = ['node', '--no-warnings', '--input-type=module-typescript', '--eval', source, '--', argument]
  const child = await startInside(layout, ['kubectl', ...IN_POD, ...program], ['pipe', 'pipe', 'inherit'])
  const lines = linesOf(child)
  if ((await lines.next()).value !== 'started') throw new Error('The load did not start')
  return {
    async stop() {
      child.stdin?.end()
      const { value } = await lines.next()
      return JSON.parse(value ?? '{}')
    },
  }
}

/** Calls one tool from the ingress controller's pod. @param authority as in LoadOptions @returns its result */
export async function callTool(kubernetes: Kubernetes, key: string, name: string, args: object, authority?: string) {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const options = {
    method: 'POST',
    headers: { host: HOST, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(authority !== undefined && { ca: authority, servername: 'gateway' }),
  }
  const source = `
    const { request } = await import('node:${authority === undefined ? 'http' : 'https'}')
    const sent = request(${JSON.stringify(`${gateway(authority)}/mcp/v1`)}, ${JSON.stringify(options)}, (answer) => answer.pipe(process.stdout))
    sent.end(${JSON.stringify(JSON.stringify(call))})`
  const answer = await kubernetes.kubectl(...IN_POD, 'node', '--input-type=module', '--eval', source)
  const { result } = JSON.parse(answer)
  return result?.structuredContent
}

/** Whether a pod can open a connection. @param from `<namespace>/<pod or deployment/name>` */
export async function canConnect({ kubectl: ask }: Kubernetes, from: string, to: string): Promise<boolean> {
  const [namespace, ...target] = from.split('/')
  const [host = '', port] = to.split(':')
  const source = `
    const socket = require('node:net').connect({ host: ${JSON.stringify(host)}, port: ${port}, timeout: 3000 })
    const end = (answer) => { process.stdout.write(answer); process.exit() }
    socket.on('connect', () => end('open'))
    socket.on('timeout', () => end('closed'))
    socket.on('error', ({ code }) => end(code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' ? 'closed' : code))`
  const look = () => ask('exec', `--namespace=${namespace}`, target.join('/'), '--', 'node', '--eval', source)
  // A question to the cluster's DNS may get lost, and says nothing about the connection.
  const answer = await readUntil(look, (said) => said !== 'EAI_AGAIN')
  if (!['open', 'closed'].includes(answer)) throw new Error(`${from} to ${to}: ${answer}`)
  return answer === 'open'
}

/** Creates the demo family through forwarded ports, as an operator does. @param tlsDir for services that want mutual TLS */
export async function seedOn({ layout }: Kubernetes, tlsDir?: string): Promise<DemoFamily> {
  const ports = { auth: 50051, 'care-circle': 50052, inbox: 50053, pipe: 50054 }
  const forwards: ChildProcess[] = []
  try {
    for (const [name, port] of Object.entries(ports)) {
      const forward = ['kubectl', NAMESPACE, 'port-forward', `deployment/${name}`, `${port}:50051`]
      const child = await startInside(layout, forward, ['ignore', 'pipe', 'inherit'])
      forwards.push(child)
      await linesOf(child).next()
    }
    const at = (name: keyof typeof ports) => `127.0.0.1:${ports[name]}`
    const json = async (file: string) => JSON.parse(await readFile(join(layout.keys, file), 'utf8'))
    const target = {
      addresses: { auth: at('auth'), 'care-circle': at('care-circle'), inbox: at('inbox'), pipe: at('pipe') },
      apiUrl: `http://${HOST}`,
      smtp: { host: '127.0.0.1', port: 2525 },
      serviceKey: await json('ops/SERVICE_KEY'),
      serviceKeys: await json('service-keys/SERVICE_KEYS'),
      ...(tlsDir && { tlsDir, certificatesNameServices: true }),
    }
    const script = [process.execPath, join(import.meta.dirname, '_seed-inside.ts'), JSON.stringify(target)]
    const child = await startInside(layout, script, ['ignore', 'pipe', 'inherit'])
    return JSON.parse(child.stdout ? await text(child.stdout) : '')
  } finally {
    for (const child of forwards) child.kill()
  }
}

export type Mails = {
  /** The subjects of those that a host accepted. */
  accepted: string[]
  stop(): Promise<void>
  ended: Promise<unknown>
}

/** Delivers mails to a port of the nodes, from an address outside of the cluster. */
export async function startMails(
  kubernetes: Kubernetes,
  options: Pick<MailOptions, 'to' | 'paceMs' | 'subject' | 'mails'>,
): Promise<Mails> {
  const service = await kubernetes.kubectl(NAMESPACE, 'get', 'service', 'inbox-smtp', '--output=json')
  const port = JSON.parse(service).spec.ports[0].nodePort
  const argument = JSON.stringify({ ...options, port, hosts: NODES.map(nodeAddress) } satisfies MailOptions)
  const script = [process.execPath, join(import.meta.dirname, '_mail-from-internet.ts'), argument]
  const child = await startOnInternet(kubernetes.layout, script, ['pipe', 'pipe', 'inherit'])
  const accepted: string[] = []
  createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => accepted.push(line))
  const ended = once(child, 'close')
  return {
    accepted,
    ended,
    async stop() {
      child.stdin?.end()
      await ended
    },
  }
}

function linesOf(child: ChildProcess): AsyncIterator<string> {
  if (!child.stdout) throw new Error('The output of the program is not read')
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]()
}

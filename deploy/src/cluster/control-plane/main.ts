// The first process of a cluster, in mount, process and network namespaces of its own: the control plane, the registry, and
// the nodes. When it ends, the kernel ends everything else.
// Usage: main.ts <folder of the cluster> [number of a node...] [--ends-with-input]
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { get } from 'node:https'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { startRegistry } from '../images/registry.ts'
import { startNode } from '../node/start-node.ts'
import { CONTROL_PLANE, type Layout, layoutIn, type NodeNumber, REGISTRY } from '../system/layout.ts'
import { runSync } from '../system/run.ts'
import { apiServer, type Command, controllerManager, etcd, scheduler } from './components.ts'
import { makeNetwork } from './network.ts'

const API_MS = 180_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'ends-with-input': { type: 'boolean' } },
})
const [dir = '', ...numbers] = positionals
if (values['ends-with-input']) process.stdin.on('end', () => process.exit(0)).resume()
await main(layoutIn(dir), numbers.map(Number) as NodeNumber[])

async function main(cluster: Layout, nodes: readonly NodeNumber[]): Promise<void> {
  runSync('mount', '--make-rprivate', '/')
  // Named network namespaces are files here.
  runSync('mount', '-t', 'tmpfs', 'run', '/run')
  makeNetwork()
  await startRegistry(cluster.images, REGISTRY)
  start(cluster, etcd(cluster))
  start(cluster, apiServer(cluster))
  for (const node of nodes) startNode(cluster, node)
  await waitFor(() => isReady(cluster), {
    timeoutMs: API_MS,
    everyMs: 200,
    timeout: () => new Error(`The API server did not start. Its log: ${cluster.log('kube-apiserver')}`),
  })
  start(cluster, controllerManager(cluster))
  start(cluster, scheduler(cluster))
}

/** Without one of them there is no cluster. */
function start({ log }: Layout, [name, ...args]: Command): void {
  mkdirSync(dirname(log(name)), { recursive: true })
  const output = openSync(log(name), 'a')
  spawn(name, args, { stdio: ['ignore', output, output] }).on('exit', (code, signal) => {
    process.stderr.write(`${name} ended (${signal ?? `exit code ${code}`}). Its log: ${log(name)}\n`)
    process.exit(1)
  })
}

/** The one question that the API server answers to anybody. */
function isReady({ certificates }: Layout): Promise<true | undefined> {
  const ca = readFileSync(join(certificates, 'ca.crt'))
  return new Promise((resolve) => {
    const asked = get(`https://${CONTROL_PLANE}:6443/readyz`, { ca, agent: false, timeout: 2000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200 || undefined)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
  })
}

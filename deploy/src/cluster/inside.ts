import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { environmentFor } from './programs/environment.ts'
import type { Programs } from './programs/programs.ts'
import { isRunning, readState } from './state.ts'
import { type Layout, type NodeNumber, nodeName } from './system/layout.ts'

type Options = { input?: string }

/** Runs kubectl as the cluster's administrator. @returns what it printed @throws with what it said was wrong */
export async function kubectl(layout: Layout, args: readonly string[], { input = '' }: Options = {}): Promise<string> {
  const child = await startInside(layout, ['kubectl', ...args], ['pipe', 'pipe', 'pipe'])
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const [output, problem, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ])
  if (code !== 0)
    throw new Error(`kubectl ${args.join(' ')}: ${problem.trim() || output.trim() || `exit code ${code}`}`)
  return output
}

type Stdio = ('pipe' | 'inherit' | 'ignore')[]

/** Starts a command in the cluster's network, where the control plane is, with a kubeconfig and the caller's files. */
export function startInside(layout: Layout, command: readonly string[], stdio: Stdio): Promise<ChildProcess> {
  return startWith(layout, (process) => [`--net=${process}/ns/net`], command, stdio)
}

/** Starts a command in the network that stands for the internet. It reaches the ports of nodes. */
export function startOnInternet(layout: Layout, command: readonly string[], stdio: Stdio): Promise<ChildProcess> {
  return startWith(layout, (process) => [`--net=${process}/root/run/netns/internet`], command, stdio)
}

/** Ends a node as a power cut does: nothing on it has time to finish or to say goodbye. */
export async function cutPower(layout: Layout, node: NodeNumber): Promise<void> {
  const first = await readFile(layout.pid(node), 'utf8')
  const namespaces = (process: string) => [`--pid=${process}/ns/pid_for_children`]
  const child = await startWith(
    layout,
    namespaces,
    ['sh', '-c', `kill -KILL ${Number(first)}`],
    ['ignore', 'ignore', 'pipe'],
  )
  const [problem, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')])
  if (code !== 0) throw new Error(`Node ${nodeName(node)} is not running: ${problem.trim()}`)
}

async function startWith(
  layout: Layout,
  namespaces: (process: string) => string[],
  command: readonly string[],
  stdio: Stdio,
): Promise<ChildProcess> {
  const state = await readState(layout)
  if (!state || !(await isRunning(layout))) throw new Error('No cluster is running. Start one: npm run cluster')
  const programs: Programs = JSON.parse(await readFile(layout.programs, 'utf8'))
  const env = { ...environmentFor(programs), KUBECONFIG: layout.kubeconfig('admin') }
  return spawn('nsenter', [...namespaces(`/proc/${state.pid}`), ...command], { stdio, env })
}

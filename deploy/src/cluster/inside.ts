import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Layout } from './layout.ts'
import { environmentFor } from './programs/environment.ts'
import type { Programs } from './programs/programs.ts'
import { isRunning, readState } from './state.ts'

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
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${problem.trim() || `exit code ${code}`}`)
  return output
}

/** Starts a command in the cluster's network, where the control plane is, with a kubeconfig and the caller's files. */
export async function startInside(
  layout: Layout,
  command: readonly string[],
  stdio: ('pipe' | 'inherit' | 'ignore')[],
) {
  const state = await readState(layout)
  if (!state || !(await isRunning(layout))) throw new Error('No cluster is running. Start one: npm run cluster')
  const programs: Programs = JSON.parse(await readFile(layout.programs, 'utf8'))
  const env = { ...environmentFor(programs), KUBECONFIG: layout.kubeconfig('admin') }
  return spawn('nsenter', [`--net=/proc/${state.pid}/ns/net`, ...command], { stdio, env })
}

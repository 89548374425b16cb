import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { addOns, makeVolumes } from './add-ons/add-ons.ts'
import { makeCertificates } from './control-plane/certificates.ts'
import { down } from './down.ts'
import { makeImages } from './images/images.ts'
import { kubectl } from './inside.ts'
import { environmentFor } from './programs/environment.ts'
import { findPrograms, whyNotHere } from './programs/programs.ts'
import { isRunning, type State } from './state.ts'
import { KUBERNETES, type Layout, NODES, type NodeNumber } from './system/layout.ts'

const READY_MS = 300_000
const PROGRESS_MS = 5000

export type UpOptions = {
  /** Without any, the API can still be asked. */
  nodes?: readonly NodeNumber[]
  /** Whether the cluster ends with this process, even when it is killed. Otherwise only `down` ends it. */
  endsWithCaller?: boolean
}

/** Starts the cluster and waits until its nodes and its DNS are ready. */
export async function up(layout: Layout, search: Search, options: UpOptions = {}): Promise<void> {
  const { say } = search
  const { nodes = NODES, endsWithCaller = false } = options
  const problem = whyNotHere()
  if (problem) throw new Error(problem)
  if (await isRunning(layout)) return say(`The cluster in ${layout.dir} is already running.`)
  await down(layout)
  const programs = await findPrograms(search)
  const images = await makeImages(programs, search)
  say(`Starting Kubernetes ${KUBERNETES} with ${nodes.length} nodes…`)
  await mkdir(layout.dir, { recursive: true, mode: 0o711 })
  await writeFile(layout.programs, JSON.stringify(programs))
  await writeFile(layout.images, JSON.stringify(images))
  await makeVolumes(layout)
  await makeCertificates(layout)
  const startedAt = Date.now()
  await startControlPlane(layout, environmentFor(programs), { nodes, endsWithCaller })
  await waitUntilReady(layout, nodes, say)
  say(`The cluster is ready after ${((Date.now() - startedAt) / 1000).toFixed(0)} s.`)
}

/** Everything inside is a descendant of this process, in its namespaces. */
async function startControlPlane(
  layout: Layout,
  env: Record<string, string>,
  { nodes, endsWithCaller }: Required<UpOptions>,
): Promise<void> {
  mkdirSync(dirname(layout.log('cluster')), { recursive: true })
  const output = openSync(layout.log('cluster'), 'a')
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
  const main = [process.execPath, join(import.meta.dirname, 'control-plane/main.ts'), layout.dir, ...nodes.map(String)]
  const child = spawn('unshare', [...namespaces, '--', ...main, ...(endsWithCaller ? ['--ends-with-input'] : [])], {
    stdio: [endsWithCaller ? 'pipe' : 'ignore', output, output],
    env,
    detached: true,
  })
  child.unref()
  await writeFile(layout.state, JSON.stringify({ pid: child.pid ?? 0, mark: layout.dir } satisfies State))
}

async function waitUntilReady(layout: Layout, nodes: readonly NodeNumber[], say: Search['say']): Promise<void> {
  const deadline = Date.now() + READY_MS
  let sayAt = Date.now() + PROGRESS_MS
  let hasAddOns = false
  for (;;) {
    if (!(await isRunning(layout))) throw new Error(`The cluster ended.\n${await lastLines(layout.log('cluster'))}`)
    const waitingFor = await whatIsMissing()
    if (waitingFor === undefined) return
    if (Date.now() > deadline)
      throw new Error(`The cluster is not ready: ${waitingFor}. Logs: ${dirname(layout.log('cluster'))}`)
    if (Date.now() > sayAt) {
      say(`  waiting for ${waitingFor}`)
      sayAt = Date.now() + PROGRESS_MS
    }
    await sleep(300)
  }

  async function whatIsMissing(): Promise<string | undefined> {
    if (!hasAddOns) {
      if (
        !(await kubectl(layout, ['get', '--raw', '/readyz']).then(
          () => true,
          () => false,
        ))
      )
        return 'the API server'
      await kubectl(layout, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(addOns(layout, nodes)) })
      hasAddOns = true
    }
    if (nodes.length === 0) return undefined
    const ready = (await readyOf(layout, 'nodes')).filter(Boolean).length
    if (ready < nodes.length) return `nodes (${ready} of ${nodes.length} are ready)`
    const pods = await readyOf(layout, 'pods', '--namespace=kube-system', '--selector=k8s-app=kube-dns')
    return pods.length > 0 && pods.every(Boolean) ? undefined : 'CoreDNS'
  }
}

async function readyOf(layout: Layout, ...what: string[]): Promise<boolean[]> {
  const { items } = JSON.parse(await kubectl(layout, ['get', ...what, '--output=json']))
  return items.map(({ status }: { status: { conditions?: { type: string; status: string }[] } }) =>
    (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True'),
  )
}

async function lastLines(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').slice(-10).join('\n')
}

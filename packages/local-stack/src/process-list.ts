import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { kill } from 'node:process'
import { promisify } from 'node:util'
import type { StackProcess } from './stack-file.ts'
import { waitFor } from './wait-for.ts'

const GRACE_MS = 6000

/** Whether the process runs and its command line contains the mark. The pid may have been reused. */
export async function isRunning({ pid, mark }: StackProcess): Promise<boolean> {
  return (await commandLineOf(pid)).includes(mark)
}

/** Whether a process is stopped. After SIGSTOP, a busy machine takes a moment to stop all threads. */
export async function isPaused(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', `${pid}`])
  return stdout.trim().startsWith('T')
}

/** The process that listens on a port; undefined if the system cannot tell, or it belongs to another user. */
export async function listenerOn(port: number): Promise<{ pid: number; command: string } | undefined> {
  const ask = promisify(execFile)
  const listed =
    (await ask('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], { timeout: 2000 }).catch(() => undefined)) ??
    (await ask('ss', ['-Hltnp', `sport = :${port}`], { timeout: 2000 }).catch(() => undefined))
  const pid = Number(/^\d+/.exec(listed?.stdout ?? '')?.[0] ?? /pid=(\d+)/.exec(listed?.stdout ?? '')?.[1])
  if (!pid) return undefined
  return { pid, command: (await commandLineOf(pid)).trim().slice(0, 200) || 'exiting' }
}

/** Ends the processes that still run, after some seconds by force. */
export async function endProcesses(processes: readonly StackProcess[]): Promise<void> {
  await Promise.all(processes.map(endProcess))
}

async function endProcess(process: StackProcess) {
  if (!(await isRunning(process))) return
  signal(process.pid, 'SIGTERM')
  signal(process.pid, 'SIGCONT')
  const gone = async () => ((await isRunning(process)) ? undefined : true)
  await waitFor(gone, { timeoutMs: GRACE_MS, everyMs: 50, timeout: () => new Error('still running') }).catch(() =>
    signal(process.pid, 'SIGKILL'),
  )
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    kill(pid, name)
  } catch {}
}

async function commandLineOf(pid: number): Promise<string> {
  const inProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  if (inProc !== undefined) return (await isThread(pid)) ? '' : inProc.replaceAll('\0', ' ')
  const listed = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => undefined)
  return listed?.stdout ?? ''
}

/** `/proc` answers for threads, too, with the command line of their process. After a kill in a container, one of ours may have the number of a process before. */
async function isThread(id: number): Promise<boolean> {
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
  return Number(/^Tgid:\s*(\d+)/m.exec(status)?.[1] ?? id) !== id
}

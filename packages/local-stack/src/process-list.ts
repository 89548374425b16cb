import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { kill } from 'node:process'
import { promisify } from 'node:util'
import { poll } from './poll.ts'
import type { StackProcess } from './stack-file.ts'

const GRACE_MS = 6000

/** Whether a process runs and has the mark in its command line. */
export async function isRunning({ pid, mark }: StackProcess): Promise<boolean> {
  return (await commandLineOf(pid)).includes(mark)
}

/** Whether a process stands still after SIGSTOP, which its threads do not do at once on a busy machine. */
export async function isPaused(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', `${pid}`])
  return stdout.trim().startsWith('T')
}

/** Who accepts connections on a port; undefined where the system has no way to tell, or it is another user's. */
export async function listenerOn(port: number): Promise<{ pid: number; command: string } | undefined> {
  const ask = promisify(execFile)
  const listed =
    (await ask('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], { timeout: 2000 }).catch(() => undefined)) ??
    (await ask('ss', ['-Hltnp', `sport = :${port}`], { timeout: 2000 }).catch(() => undefined))
  const pid = Number(/^\d+/.exec(listed?.stdout ?? '')?.[0] ?? /pid=(\d+)/.exec(listed?.stdout ?? '')?.[1])
  if (!pid) return undefined
  return { pid, command: (await commandLineOf(pid)).trim().slice(0, 200) || 'it is ending' }
}

/** Ends those of the processes that still run: politely, and after some seconds by force. */
export async function endProcesses(processes: readonly StackProcess[]): Promise<void> {
  await Promise.all(processes.map(endProcess))
}

async function endProcess(process: StackProcess) {
  if (!(await isRunning(process))) return
  signal(process.pid, 'SIGTERM')
  signal(process.pid, 'SIGCONT')
  const gone = async () => ((await isRunning(process)) ? undefined : true)
  await poll(gone, { timeoutMs: GRACE_MS, everyMs: 50, timeout: () => new Error('it stays') }).catch(() =>
    signal(process.pid, 'SIGKILL'),
  )
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    kill(pid, name)
  } catch {
    // It has just ended by itself.
  }
}

/** Empty for a process that has ended, also for one nobody has waited for yet. */
async function commandLineOf(pid: number): Promise<string> {
  const inProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  if (inProc !== undefined) return inProc.replaceAll('\0', ' ')
  const listed = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => undefined)
  return listed?.stdout ?? ''
}

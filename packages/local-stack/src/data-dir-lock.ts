import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from './process-list.ts'

const MARK = 'local-stack/src/start.ts'
// After a quick restart of npm, the previous stack may not have received its signal yet.
const SIGNAL_DELAY_MS = 2000
const STOP_TIMEOUT_MS = 12_000

export type DataDirLock = AsyncDisposable & {
  announceStop(): Promise<void>
}

/** Makes this process the only one on a data folder; waits for one that is stopping. @throws one line naming the process that holds it */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'lock')
  const startedAt = Date.now()
  while (!(await create(path))) {
    const holder = await holderOf(path)
    const timeoutMs = holder?.isStopping ? STOP_TIMEOUT_MS : SIGNAL_DELAY_MS
    if (!holder) await rm(path, { force: true })
    else if (Date.now() - startedAt > timeoutMs) throw new Error(refusal(dataDir, holder.pid))
    await sleep(100)
  }
  return {
    announceStop: () => writeFile(path, `${process.pid} stopping`),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}

function refusal(dataDir: string, pid: number): string {
  return `Already running on ${dataDir} as process ${pid}: stop it with Ctrl-C there, or choose another DATA_DIR and other ports.`
}

async function holderOf(path: string) {
  const [pid, stopping] = (await readFile(path, 'utf8').catch(() => '')).split(' ')
  // In a container each start gets the same number, also after a kill.
  const isHeld = Number(pid) !== process.pid && (await isRunning({ pid: Number(pid), mark: MARK }))
  return isHeld ? { pid: Number(pid), isStopping: stopping !== undefined } : undefined
}

/** Whether the file is ours, checked twice: another start may find the same dead lock and remove ours. */
async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid}`, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  await sleep(30)
  return (await readFile(path, 'utf8').catch(() => '')) === `${process.pid}`
}

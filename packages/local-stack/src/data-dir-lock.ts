import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from './process-list.ts'

const MARK = 'local-stack/src/start.ts'
// Whoever ends npm and starts it again at once meets the one before, which hears of it a moment later and then stops.
const UNTIL_IT_HEARS_MS = 2000
const UNTIL_IT_STOPPED_MS = 12_000

export type DataDirLock = AsyncDisposable & {
  /** Lets a start that comes now wait instead of being refused. */
  leave(): Promise<void>
}

/**
 * Makes this process the only one on a data folder. The lock of a process that was killed does not count, and one that is
 * stopping is waited for.
 * @throws a line that names the process which has the lock
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'lock')
  const startedAt = Date.now()
  while (!(await create(path))) {
    const holder = await holderOf(path)
    const patienceMs = holder?.isLeaving ? UNTIL_IT_STOPPED_MS : UNTIL_IT_HEARS_MS
    if (!holder) await rm(path, { force: true })
    else if (Date.now() - startedAt > patienceMs) throw new Error(refusal(dataDir, holder.pid))
    await sleep(100)
  }
  return {
    leave: () => writeFile(path, `${process.pid} leaves`),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}

function refusal(dataDir: string, pid: number): string {
  return `Already running on ${dataDir} as process ${pid}: stop it with Ctrl-C there, or choose another DATA_DIR and other ports.`
}

async function holderOf(path: string) {
  const [pid, leaves] = (await readFile(path, 'utf8').catch(() => '')).split(' ')
  const isHeld = await isRunning({ pid: Number(pid), mark: MARK })
  return isHeld ? { pid: Number(pid), isLeaving: leaves !== undefined } : undefined
}

/** True when the file is ours; still ours, should another start have found the same dead lock and removed it once too often. */
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

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLock, holderOf } from './file-lock.ts'

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
  while (!(await createLock(path))) {
    const holder = await holderOf(path, MARK)
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

import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from './process-list.ts'

export type Holder = { readonly pid: number; readonly isStopping: boolean }

/** Whether the file is ours, checked twice: another process may find the same dead lock and remove ours. */
export async function createLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid}`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  await sleep(30)
  return (await readFile(path, 'utf8').catch(() => '')) === `${process.pid}`
}

/** The process that holds it. @param mark a part of its command line @returns undefined if it is gone */
export async function holderOf(path: string, mark: string): Promise<Holder | undefined> {
  const [pid, stopping] = (await readFile(path, 'utf8').catch(() => '')).split(' ')
  // In a container each start gets the same number, also after a kill.
  const isHeld = Number(pid) !== process.pid && (await isRunning({ pid: Number(pid), mark }))
  return isHeld ? { pid: Number(pid), isStopping: stopping !== undefined } : undefined
}

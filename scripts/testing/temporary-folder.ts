import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Files here are in memory (Linux). */
export const MEMORY = '/dev/shm'
/** Some times what a run fills. */
const ENOUGH_BYTES = 10e9
const NAME = 'family-inbox-tests-'

/**
 * Lets tests keep their databases in memory, where there is plenty: the thousands of files that they make and delete take a disk 5% of
 * a run's processor time. Whatever reaches a disk is tested by ending processes, which this changes nothing about.
 */
export function useMemory(): Disposable {
  if (process.env.TMPDIR !== undefined || !hasPlenty()) return { [Symbol.dispose]() {} }
  removeAbandoned()
  const folder = join(MEMORY, `${NAME}${process.pid}`)
  mkdirSync(folder, { mode: 0o700 })
  process.env.TMPDIR = folder
  return {
    [Symbol.dispose]() {
      delete process.env.TMPDIR
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function hasPlenty(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) > ENOUGH_BYTES
  } catch {
    return false
  }
}

/** Whoever ends a run by force leaves its files. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(NAME) && !isRunning(Number(name.slice(NAME.length))))
      rmSync(join(MEMORY, name), { recursive: true, force: true })
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

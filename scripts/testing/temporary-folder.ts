import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Files here are in memory (Linux). */
const MEMORY = '/dev/shm'
const MOUNTS = '/proc/self/mounts'
/** Four times what the long tier fills. */
const ENOUGH_BYTES = 12e9
const NAME = 'family-inbox-tests-'

/**
 * Lets tests keep their databases and images in memory, where there is plenty: they make and delete tens of thousands of files, and for
 * minutes afterwards ext4 steps over each deleted inode to create one.
 */
export function useMemory(): Disposable {
  if (process.env.TMPDIR !== undefined || !hasPlenty()) return { [Symbol.dispose]() {} }
  removeOfKilledRuns()
  const folder = join(MEMORY, `${NAME}${process.pid}`)
  // A mail server of a test is another user.
  mkdirSync(folder, { mode: 0o711 })
  process.env.TMPDIR = folder
  return {
    [Symbol.dispose]() {
      delete process.env.TMPDIR
      removeFolder(folder)
    },
  }
}

/** Also what a killed test left mounted in it. */
export function removeFolder(folder: string): void {
  const inside = mounts().filter(({ at }) => at.startsWith(`${folder}/`))
  for (const { at } of inside.reverse()) spawnSync('umount', [at])
  rmSync(folder, { recursive: true, force: true })
}

function hasPlenty(): boolean {
  const runsPrograms = ({ at, options }: Mount) => at === MEMORY && !/noexec/.test(options)
  if (!mounts().some(runsPrograms)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, process.availableMemory()) > ENOUGH_BYTES
}

type Mount = { at: string; options: string }

/** None but under Linux. */
function mounts(): Mount[] {
  if (!existsSync(MOUNTS)) return []
  const lines = readFileSync(MOUNTS, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [, at = '', , options = ''] = line.split(' ')
    return { at, options }
  })
}

function removeOfKilledRuns(): void {
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(NAME) && !isRunning(Number(name.slice(NAME.length)))) removeFolder(join(MEMORY, name))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names the folder of the images that the files of one run share. */
export const SHARED_IMAGES = 'SHARED_TEST_IMAGES'

const MEMORY = '/dev/shm'
const MOUNTS = '/proc/self/mounts'
/** Of which images take a third. */
const ENOUGH_BYTES = 8e9

/** Images are laid out and built once, for all files of a run. */
export function shareImages(): Disposable {
  const parent = hasMemoryForImages() ? MEMORY : tmpdir()
  removeOfKilledRuns(parent)
  const folder = mkdtempSync(join(parent, `family-inbox-images-${process.pid}-`))
  chmodSync(folder, 0o755)
  process.env[SHARED_IMAGES] = folder
  return { [Symbol.dispose]: () => remove(folder) }
}

/**
 * Images are tens of thousands of small files, half of which are deleted again. For minutes afterwards ext4 steps over each deleted
 * inode to create a file: 48 s of a processor in the kernel for one image, and 14 s in memory.
 */
function hasMemoryForImages(): boolean {
  if (!existsSync(MOUNTS)) return false
  const isProgramFolder = mounts().some(
    ({ at, type, options }) => at === MEMORY && type === 'tmpfs' && !/noexec/.test(options),
  )
  if (!isProgramFolder) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, process.availableMemory()) > ENOUGH_BYTES
}

function removeOfKilledRuns(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^family-inbox-images-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(parent, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Also what a killed test left mounted in it. */
function remove(folder: string): void {
  const inside = existsSync(MOUNTS) ? mounts().filter(({ at }) => at.startsWith(`${folder}/`)) : []
  for (const { at } of inside.reverse()) spawnSync('umount', [at])
  rmSync(folder, { recursive: true, force: true })
}

function mounts(): { at: string; type: string; options: string }[] {
  return readFileSync(MOUNTS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [, at = '', type = '', options = ''] = line.split(' ')
      return { at, type, options }
    })
}

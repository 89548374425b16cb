import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasPlenty, isRunning, MEMORY } from './temporary-folder.ts'

/** Names the folder of the images that the files of one run share. */
export const SHARED_IMAGES = 'SHARED_TEST_IMAGES'

const MOUNTS = '/proc/self/mounts'

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
  if (!hasPlenty() || !existsSync(MOUNTS)) return false
  return mounts().some(({ at, type, options }) => at === MEMORY && type === 'tmpfs' && !/noexec/.test(options))
}

function removeOfKilledRuns(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^family-inbox-images-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(parent, name))
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

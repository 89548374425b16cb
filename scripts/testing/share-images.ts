import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names the folder of the images that the files of one run share. */
export const SHARED_IMAGES = 'SHARED_TEST_IMAGES'

/** Images are laid out and built once, for all files of a run. */
export function shareImages(): Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'family-inbox-images-'))
  chmodSync(folder, 0o755)
  process.env[SHARED_IMAGES] = folder
  return {
    [Symbol.dispose]() {
      unmountBelow(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A test that was killed leaves its image mounted. */
function unmountBelow(folder: string): void {
  const mounts = '/proc/self/mounts'
  if (!existsSync(mounts)) return
  const folders = readFileSync(mounts, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  for (const mounted of folders.reverse()) if (mounted.startsWith(`${folder}/`)) spawnSync('umount', [mounted])
}

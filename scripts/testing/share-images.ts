import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from './temporary-folder.ts'

/** Names the folder of the images that the files of one run share. */
export const SHARED_IMAGES = 'SHARED_TEST_IMAGES'

/** Images are laid out and built once, for all files of a run. */
export function shareImages(): Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'family-inbox-images-'))
  chmodSync(folder, 0o755)
  process.env[SHARED_IMAGES] = folder
  return { [Symbol.dispose]: () => removeFolder(folder) }
}

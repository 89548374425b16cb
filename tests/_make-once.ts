import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { withLock } from '../scripts/lock.mjs'

/** Makes a folder once: only a complete one gets its name, and other callers wait for it. @returns the folder */
export async function makeOnce(folder: string, make: (part: string) => Promise<unknown>): Promise<string> {
  if (existsSync(folder)) return folder
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return
    const part = `${folder}.part`
    await rm(part, { recursive: true, force: true })
    await mkdir(part, { recursive: true })
    await make(part)
    await rename(part, folder)
  })
  return folder
}

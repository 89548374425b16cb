import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A file system of its own, which can be full or read-only. */
export type SmallDisk = AsyncDisposable & {
  /** @param leaving so many megabytes */
  fill(leaving?: number): Promise<void>
  /** Frees the space again. */
  free(): Promise<void>
  setReadOnly(isReadOnly: boolean): Promise<void>
}

const MEGABYTE = Buffer.alloc(2 ** 20)

/** Whether this process may mount file systems. */
export async function canMount(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-mount-'))
  const disk = await mountSmallDisk(dir, 1).catch(() => undefined)
  await disk?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
  return disk !== undefined
}

export async function mountSmallDisk(dir: string, megabytes: number): Promise<SmallDisk> {
  await mkdir(dir, { recursive: true })
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir])
  const ballast = join(dir, 'ballast')
  return {
    async fill(leaving = 0) {
      await using file = await open(ballast, 'w')
      try {
        while (leaving === 0 || (await freeMegabytes(dir)) > leaving) await file.write(MEGABYTE)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rm(ballast, { force: true }),
    async setReadOnly(isReadOnly) {
      await run('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, dir])
    },
    async [Symbol.asyncDispose]() {
      // Lazily: a process that was just killed may still have files open.
      await run('umount', ['--lazy', dir])
    },
  }
}

async function freeMegabytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir)
  return (bavail * bsize) / MEGABYTE.length
}

import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Env } from '../config.ts'

/** The first `name` on PATH that runs and is at least version `[major, minor]`. */
export async function findOnPath(name: string, atLeast: readonly [number, number], env: Env) {
  for (const dir of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(dir, name)
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (executable && isAtLeast(await versionOf(path), atLeast)) return path
  }
  return undefined
}

export async function versionOf(path: string): Promise<number[] | undefined> {
  const run = promisify(execFile)
  const printed = await run(path, ['--version'], { timeout: 10_000 }).catch(() => undefined)
  return printed?.stdout
    .match(/v(\d+)\.(\d+)\.(\d+)/)
    ?.slice(1)
    .map(Number)
}

/** @throws with the system's error when a binary does not run here (a missing library, another processor) */
export async function requireRuns(path: string): Promise<void> {
  const run = promisify(execFile)
  await run(path, ['--version'], { timeout: 10_000 }).catch((error) => {
    throw new Error(
      `it does not run here: ${String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1)}`,
    )
  })
}

export function isAtLeast(version: readonly number[] | undefined, wanted: readonly [number, number]): boolean {
  const [major = -1, minor = -1] = version ?? []
  return major > wanted[0] || (major === wanted[0] && minor >= wanted[1])
}

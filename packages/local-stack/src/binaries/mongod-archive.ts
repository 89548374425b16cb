import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { cacheBinary, sha256Of, withTemporaryDir } from './binary-cache.ts'

export type Archive = { readonly url: string; readonly sha256: string }

const FIRST_BYTE_MS = 4000
const WHOLE_MS = 600_000

/** Downloads and verifies an archive, and caches its mongod. @throws without a response within 4 s, or on a wrong SHA-256 */
export async function mongodFromArchive({ url, sha256 }: Archive, cache: string, id: string): Promise<string> {
  return withTemporaryDir(cache, async (dir) => {
    const file = join(dir, 'mongod.tgz')
    await download(url, file)
    const actual = await sha256Of(file)
    if (actual !== sha256) throw new Error(`the archive has SHA-256 ${actual}, not the pinned ${sha256}`)
    const unpacked = join(dir, 'unpacked')
    await mkdir(unpacked)
    await promisify(execFile)('tar', ['-xzf', file, '-C', unpacked, '--strip-components=1'])
    return cacheBinary(cache, id, 'mongod', join(unpacked, 'bin/mongod'))
  })
}

async function download(url: string, file: string): Promise<void> {
  const timedOut = new AbortController()
  const timer = setTimeout(() => timedOut.abort(new Error('no response')), FIRST_BYTE_MS)
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([timedOut.signal, AbortSignal.timeout(WHOLE_MS)]) })
    if (!answer.ok || answer.body === null) throw new Error(`the server answered ${answer.status}`)
    clearTimeout(timer)
    await pipeline(answer.body, createWriteStream(file))
  } catch (error) {
    throw new Error(error instanceof TypeError ? 'no connection' : String((error as Error).message), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Env } from '../config.ts'
import { requireRuns } from './find-on-path.ts'

const AN_HOUR_MS = 3_600_000

type Marker = { sha256: string; size: number; mtimeMs: number }

/** The user's folder for downloads: `$XDG_CACHE_HOME` or `~/.cache`, then `family-care-inbox`. */
export function cacheDir(env: Env): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'family-care-inbox')
}

/** The cached binary, or undefined if there is none to trust. Its SHA-256 is checked again only when the file has changed. */
export async function cachedBinary(cache: string, id: string, name: string): Promise<string | undefined> {
  const path = join(cache, id, name)
  const [marker, file] = await Promise.all([readMarker(markerOf(path)), stat(path).catch(() => undefined)])
  if (!marker || !file || file.size !== marker.size) return undefined
  if (file.mtimeMs === marker.mtimeMs) return path
  return (await sha256Of(path)) === marker.sha256 ? path : undefined
}

/** Caches a binary in one step. @throws when the content differs from the pin, or the binary does not run here */
export async function cacheBinary(cache: string, id: string, name: string, source: string, expected?: string) {
  const sha256 = await sha256Of(source)
  if (expected && sha256 !== expected) throw new Error(`${name} has SHA-256 ${sha256}, not the pinned ${expected}`)
  return withTemporaryDir(cache, async (dir) => {
    const path = join(dir, name)
    await copyFile(source, path)
    await chmod(path, 0o755)
    await requireRuns(path)
    const { size, mtimeMs } = await stat(path)
    await writeFile(markerOf(path), JSON.stringify({ sha256, size, mtimeMs } satisfies Marker))
    await replaceDir(dir, join(cache, id))
    return join(cache, id, name)
  })
}

/** Runs `use` with a temporary folder in the cache: the same file system, so a rename works. */
export async function withTemporaryDir<T>(cache: string, use: (dir: string) => Promise<T>): Promise<T> {
  await mkdir(cache, { recursive: true })
  await removeLeftovers(cache)
  const dir = await mkdtemp(join(cache, 'tmp-'))
  try {
    return await use(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function removeLeftovers(cache: string) {
  for (const name of (await readdir(cache)).filter((entry) => entry.startsWith('tmp-'))) {
    const dir = join(cache, name)
    const made = (await stat(dir).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - made > AN_HOUR_MS) await rm(dir, { recursive: true, force: true })
  }
}

async function replaceDir(from: string, to: string) {
  await rename(from, to).catch(async () => {
    await rm(to, { recursive: true, force: true })
    await rename(from, to)
  })
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function readMarker(path: string): Promise<Marker | undefined> {
  return readFile(path, 'utf8').then(JSON.parse, () => undefined)
}

function markerOf(path: string): string {
  return join(dirname(path), 'verified.json')
}

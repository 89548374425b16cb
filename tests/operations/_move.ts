import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

export async function makeFolders(cleanUp: AsyncDisposableStack) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-move-'))
  cleanUp.defer(() => rm(dir, { recursive: true, force: true }))
  const names = ['home', 'cluster', 'replicaSet', 'keys', 'back', 'keyFile'] as const
  return Object.fromEntries(names.map((name) => [name, join(dir, name)])) as Record<(typeof names)[number], string>
}

export async function startMongodIn(dataDir: string) {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  const dir = join(dataDir, 'mongod')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile: `${dir}.log`, cacheSizeGb: 0.25 })
}

export function backup(args: string[], settings: Record<string, string> = {}) {
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  return promisify(execFile)(process.execPath, [main, ...args], {
    timeout: 120_000,
    env: { ...process.env, ...settings },
  })
}

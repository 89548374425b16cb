import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { type RunningMongod, startMongod } from '@family-inbox/local-stack/mongod'
import type { MongodAccess } from '@family-inbox/local-stack/mongod-users'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import type { Dumped } from './dump.ts'
import { endSessions, restore } from './restore.ts'

/**
 * Makes a data folder on which `npm start` runs. It is there whole or not at all. People sign in again.
 * @param prepare writes `secrets` into the new folder, and returns where the dump of the databases is; `opened` in it is removed
 * @throws when the folder has data
 */
export async function makeDataDir(dataDir: string, prepare: (building: string) => Promise<string>): Promise<Dumped[]> {
  await requireEmpty(dataDir, 'Set DATA_DIR to a new folder.')
  const building = `${dataDir}.rebuilding`
  await rm(building, { recursive: true, force: true })
  try {
    await mkdir(building, { recursive: true, mode: 0o700 })
    const dumped = await prepare(building)
    const restored = await fill(building, dumped)
    await rm(join(building, 'opened'), { recursive: true, force: true })
    await rename(building, dataDir)
    return restored
  } finally {
    await rm(building, { recursive: true, force: true })
  }
}

/** @throws when the folder is there and has something in it */
export async function requireEmpty(folder: string, instead: string): Promise<void> {
  const there = await readdir(folder).catch(() => [])
  if (there.length > 0) throw new Error(`${folder} is not empty. ${instead}`)
}

/** Fills the mongod that `npm start` finds in its data folder. */
async function fill(dataDir: string, dumped: string): Promise<Dumped[]> {
  await using mongod = await startMongodOf(dataDir)
  const restored = await restore(mongod.uri, dumped)
  await endSessions(mongod.uri)
  return restored
}

/** Starts the mongod of a data folder. @param access its users, once `npm start` ran on it */
export async function startMongodOf(dataDir: string, access?: MongodAccess): Promise<RunningMongod> {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say })
  if ('external' in found) throw new Error('A mongod of its own is needed.')
  const dir = join(dataDir, 'mongod')
  const logFile = join(dataDir, 'backup.log')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile, ...(access && { access }) })
}

function say(line: string) {
  process.stderr.write(`${line}\n`)
}

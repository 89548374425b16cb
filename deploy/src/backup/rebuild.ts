import { copyFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import type { Dumped } from './dump.ts'
import { keyFile, readKey } from './key.ts'
import { restore } from './restore.ts'
import { unseal } from './seal.ts'
import { addKeys } from './workspace-keys.ts'

/**
 * Makes the data folder of a new server from an encrypted backup: its secrets and its databases. `npm start` then runs on it.
 * The folder is there whole or not at all. @throws when it has data, or the key does not open the backup
 */
export async function rebuild(file: string, pathOfKey: string, dataDir: string): Promise<Dumped[]> {
  const there = await readdir(dataDir).catch(() => [])
  if (there.length > 0) throw new Error(`${dataDir} is not empty. Set DATA_DIR to a new folder.`)
  const building = `${dataDir}.rebuilding`
  await rm(building, { recursive: true, force: true })
  try {
    const opened = join(building, 'opened')
    const identity = await readKey(pathOfKey)
    await unseal(file, identity, opened)
    await addKeys(file, identity, opened)
    const restored = await fill(building, opened)
    await rename(join(opened, 'secrets'), join(building, 'secrets'))
    // The same key opens the backups that the new server makes.
    await copyFile(pathOfKey, keyFile(building))
    await rm(opened, { recursive: true })
    await rename(building, dataDir)
    return restored
  } finally {
    await rm(building, { recursive: true, force: true })
  }
}

/** Fills the mongod that `npm start` finds in its data folder. */
async function fill(dataDir: string, opened: string): Promise<Dumped[]> {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say })
  if ('external' in found) throw new Error('A mongod of its own is needed.')
  const dir = join(dataDir, 'mongod')
  const logFile = join(dataDir, 'rebuild.log')
  await using mongod = await startMongod({ binary: found.path, dir, port: await freePort(), logFile })
  return await restore(mongod.uri, opened)
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeKeys, type Stores } from '../key-folder.ts'
import { keysToSecrets, secretsToKeys } from '../move-keys.ts'
import { makeDataDir, requireEmpty } from './data-dir.ts'
import { type Dumped, dump } from './dump.ts'
import { keyFile, readKey } from './key.ts'
import { endSessions, restore } from './restore.ts'
import { openBackup } from './workspace-keys.ts'

/** An encrypted backup, with the keys of families beside it. */
export type Backup = { file: string; pathOfKey: string }

/** Makes the data folder of a new server from a backup. @throws when it has data, or the key does not open the backup */
export async function rebuild(backup: Backup, dataDir: string): Promise<Dumped[]> {
  return makeDataDir(dataDir, async (building) => {
    const opened = join(building, 'opened')
    await open(backup, opened)
    await rename(join(opened, 'secrets'), join(building, 'secrets'))
    // The same key opens the backups that the new server makes.
    await copyFile(backup.pathOfKey, keyFile(building))
    return opened
  })
}

/**
 * Fills the empty replica set of a cluster from a server's encrypted backup, and makes its folder of keys, which is there whole or not
 * at all. People sign in again. @param uri the replica set as this machine reaches it
 * @throws before writing, when the databases or the folder have anything, or a key is missing
 */
export async function moveToCluster(backup: Backup, keys: string, uri: string, stores: Stores): Promise<Dumped[]> {
  await requireEmpty(keys, 'Name a new folder for the keys.')
  const making = `${keys}.making`
  await rm(making, { recursive: true, force: true })
  try {
    const [opened, made] = [join(making, 'opened'), join(making, 'keys')]
    await open(backup, opened)
    await secretsToKeys(join(opened, 'secrets'), made)
    await makeKeys(made, stores)
    const restored = await restore(uri, opened)
    await endSessions(uri)
    await rename(made, keys)
    return restored
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** Makes the data folder of one server from a cluster's folder of keys and a dump, or its replica set. @throws as `makeDataDir`, and when a key is missing */
export async function moveFromCluster(
  keys: string,
  from: { folder: string } | { uri: string },
  dataDir: string,
): Promise<Dumped[]> {
  return makeDataDir(dataDir, async (building) => {
    await keysToSecrets(keys, join(building, 'secrets'))
    if ('folder' in from) return from.folder
    const opened = join(building, 'opened')
    await dump(from.uri, opened)
    return opened
  })
}

async function open({ file, pathOfKey }: Backup, folder: string): Promise<void> {
  await openBackup(file, await readKey(pathOfKey), folder)
}

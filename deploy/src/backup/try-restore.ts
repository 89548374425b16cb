import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Status } from '@family-inbox/ops/doctor/backup-checks'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { MongoClient } from 'mongodb'
import { type Dumped, databaseNames } from './dump.ts'
import { backupKey } from './key.ts'
import { restore } from './restore.ts'
import { changeStatus } from './status.ts'
import { openBackup } from './workspace-keys.ts'

const TRIED_EVERY_MS = 30 * DAY_MS
/** Before the names of the scratch databases. */
const SCRATCH = 'backup_try_'
const TRYING = '.trying-'

/** Whether a month went by since a backup was last restored. */
export function lastTryIsOld({ triedAt }: Status, now = Date.now()): boolean {
  return triedAt === undefined || now - Date.parse(triedAt) > TRIED_EVERY_MS
}

/**
 * Restores a backup into scratch databases beside the real ones, compares the number of documents, and drops them.
 * @throws what is missing
 */
export async function tryRestore(which: { uri: string; dataDir: string; folder: string; file: string }): Promise<void> {
  const { uri, dataDir, folder, file } = which
  await removeOpened(folder)
  const opened = await mkdtemp(join(folder, TRYING))
  try {
    const manifest = await openBackup(file, await backupKey(dataDir), opened)
    await dropScratch(uri)
    const restored = await restore(uri, opened, SCRATCH)
    requireSame(manifest.collections, restored)
    await changeStatus(folder, { triedAt: new Date().toISOString() })
  } finally {
    await rm(opened, { recursive: true, force: true })
    await dropScratch(uri)
  }
}

/** What a killed trial left is not encrypted. */
async function removeOpened(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => name.startsWith(TRYING))
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true })
}

function requireSame(expected: readonly Dumped[], found: readonly Dumped[]): void {
  const countOf = ({ database, collection }: Dumped) =>
    found.find((each) => each.database === database && each.collection === collection)?.documents
  for (const each of expected) {
    if (countOf(each) === each.documents) continue
    const place = `${each.database}.${each.collection}`
    throw new Error(`The backup restored ${countOf(each) ?? 'no'} of ${each.documents} documents of ${place}.`)
  }
}

async function dropScratch(uri: string): Promise<void> {
  await using client = await new MongoClient(uri).connect()
  for (const name of databaseNames()) await client.db(`${SCRATCH}${name}`).dropDatabase()
}

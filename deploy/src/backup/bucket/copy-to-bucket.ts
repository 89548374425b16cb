import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { madeAt, namesToDelete } from '../keep.ts'
import { changeStatus } from '../status.ts'
import { KEYS_FILE, requireSameInstallation } from '../workspace-keys.ts'
import type { Bucket } from './bucket.ts'

/** For the keys that the bucket has, which are unpacked there. */
const COMPARING = '.bucket-'

export type Made = {
  file: string
  /** The ids of families that have a key, or that were deleted. */
  families: ReadonlySet<string>
}

/**
 * Copies a backup into the bucket, after the keys of families, which replace those from before: a key that is destroyed is not there either.
 * Then it deletes the backups there whose time is over. @throws what to do
 */
export async function copyToBucket(bucket: Bucket, { file, families }: Made, identity: string): Promise<void> {
  const folder = dirname(file)
  const keys = join(folder, KEYS_FILE)
  await requireOwnBucket(bucket, folder, families, identity)
  await bucket.abortUnfinished((name) => name === KEYS_FILE || madeAt(name) !== undefined)
  if (existsSync(keys)) await bucket.put(KEYS_FILE, keys)
  await bucket.put(basename(file), file)
  const names = (await bucket.list()).map(({ name }) => name)
  for (const name of namesToDelete(names)) await bucket.remove(name)
  const keepsVersions = (await bucket.keepsVersions()) || undefined
  await changeStatus(folder, { storedAt: new Date().toISOString(), bucketKeepsVersions: keepsVersions })
}

/** A new server with an old setting would replace the keys that open the backups of another one. */
async function requireOwnBucket(bucket: Bucket, folder: string, families: Made['families'], identity: string) {
  const comparing = await mkdtemp(join(folder, COMPARING))
  try {
    const file = join(comparing, KEYS_FILE)
    if (!(await bucket.get(KEYS_FILE, file))) return
    await requireSameInstallation(file, families, identity, bucket.address, 'BACKUP_S3_BUCKET').catch((error) => {
      throw new Error(error.message.replace(file, bucket.address + KEYS_FILE))
    })
  } finally {
    await rm(comparing, { recursive: true })
  }
}

/** Puts a backup of the bucket, and the keys beside it, into a folder. @returns the file */
export async function fetchFromBucket(bucket: Bucket, name: string, folder: string): Promise<string> {
  const file = join(folder, name)
  if (!(await bucket.get(name, file)))
    throw new Error(`${bucket.address}${name} is not there. List what is: npm run -s backup -- list`)
  await bucket.get(KEYS_FILE, join(folder, KEYS_FILE))
  return file
}

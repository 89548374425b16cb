import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { identityToRecipient } from 'age-encryption'
import { BSON } from 'mongodb'
import { type Dumped, dumpSnapshot, type Snapshot } from './dump.ts'
import { readDocuments } from './read-documents.ts'
import { seal, unseal } from './seal.ts'

/**
 * The keys of families are in a file beside the backups, and only the latest of them: what a destroyed key sealed cannot be read from any
 * backup then.
 */
export const KEYS_FILE = 'workspace-keys.tar.gz.age'

const APART = '.keys'
const BEFORE = '.keys-before'
const DATABASE = 'inbox'
const COLLECTION = 'workspace_keys'
const REMOVED = 'removed_workspaces'

export type Manifest = {
  madeAt: string
  /** What a restore must find again. */
  collections: readonly Dumped[]
  /** Its moment in the oplog. Absent in a backup of a version without slices, and of shards. */
  oplog?: Snapshot['oplog']
  /** Whether the keys of families belong to it. Absent in a backup of a version that had none. */
  keysApart?: boolean
}

export function isOfKeys({ database, collection }: Pick<Dumped, 'database' | 'collection'>): boolean {
  return database === DATABASE && collection === COLLECTION
}

/**
 * Moves the keys of a dump into their file, which is there whole or as it was. @returns the families of this installation: those with
 * a key, and those that were deleted, which have none any more
 * @throws when the keys that are there are those of another installation: its backups could not be read any more
 */
export async function keepKeysApart(making: string, folder: string, identity: string): Promise<Set<string>> {
  const apart = join(folder, APART)
  const file = join(folder, KEYS_FILE)
  // Of a killed process.
  await rm(apart, { recursive: true, force: true })
  try {
    await moveKeys(join(making, DATABASE), join(apart, DATABASE))
    const families = new Set([...(await idsIn(apart, COLLECTION)), ...(await idsIn(making, REMOVED))])
    if (existsSync(file)) await requireSameInstallation(file, families, identity, folder, 'BACKUP_DIR')
    await seal(apart, file, await identityToRecipient(identity))
    return families
  } finally {
    await rm(apart, { recursive: true, force: true })
  }
}

/** Replaces the file of the keys by those of now, without a backup. @param making an empty folder, which is filled */
export async function replaceKeys(uri: string, making: string, folder: string, identity: string): Promise<void> {
  const { collections } = await dumpSnapshot(uri, making, ({ database, collection }) => {
    return isOfKeys({ database, collection }) || (database === DATABASE && collection === REMOVED)
  })
  if (collections.some(isOfKeys)) await keepKeysApart(making, folder, identity)
}

async function moveKeys(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const names = (await readdir(from)).filter((name) => name.startsWith(`${COLLECTION}.`))
  for (const name of names) await rename(join(from, name), join(to, name))
}

/**
 * @param file keys of families, from before @param where the backups are that they open @param setting that names the place
 * @throws when they are none of this installation's
 */
export async function requireSameInstallation(
  file: string,
  families: ReadonlySet<string>,
  identity: string,
  where: string,
  setting: string,
): Promise<void> {
  const before = join(dirname(file), BEFORE)
  try {
    await unseal(file, identity, before)
    const earlier = await idsIn(before, COLLECTION)
    if (earlier.length === 0 || earlier.some((id) => families.has(id))) return
  } finally {
    await rm(before, { recursive: true, force: true })
  }
  throw new Error(
    `The backups in ${where} are of another installation, or of one whose families were all deleted long ago. Set ${setting} to another folder; if nobody needs them any more, delete them.`,
  )
}

async function idsIn(folder: string, collection: string): Promise<string[]> {
  const file = join(folder, DATABASE, `${collection}.bson`)
  if (!existsSync(file)) return []
  const ids: string[] = []
  for await (const document of readDocuments(file)) ids.push(String(BSON.deserialize(document)._id))
  return ids
}

/** Opens a backup into a folder, with the keys beside it. @returns what is in it @throws when a key does not open it, or the keys are missing */
export async function openBackup(file: string, identity: string, opened: string): Promise<Manifest> {
  await unseal(file, identity, opened)
  const manifest = JSON.parse(await readFile(join(opened, 'manifest.json'), 'utf8')) as Manifest
  if (manifest.keysApart) await addKeys(join(dirname(file), KEYS_FILE), identity, opened)
  return manifest
}

async function addKeys(keys: string, identity: string, opened: string): Promise<void> {
  if (!existsSync(keys))
    throw new Error(
      `${keys} is missing, and without the keys of families nobody can read their mail. Put it beside the backup.`,
    )
  await unseal(keys, identity, opened)
}

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { identityToRecipient } from 'age-encryption'
import { BSON } from 'mongodb'
import type { Dumped } from './dump.ts'
import { readDocuments } from './read-documents.ts'
import { seal, unseal } from './seal.ts'

/**
 * The keys of families are in a file beside the backups, and only the latest of them: what a destroyed key sealed cannot be read from any
 * backup then.
 */
export const KEYS_FILE = 'workspace-keys.tar.gz.age'

const APART = '.keys'
const DATABASE = 'inbox'
const COLLECTION = 'workspace_keys'

export type Manifest = {
  madeAt: string
  /** What a restore must find again. */
  collections: readonly Dumped[]
  /** Whether the keys of families belong to it. Absent in a backup of a version that had none. */
  keysApart?: boolean
}

export function isOfKeys({ database, collection }: Pick<Dumped, 'database' | 'collection'>): boolean {
  return database === DATABASE && collection === COLLECTION
}

/**
 * Moves the keys of a dump into their file, which is there whole or as it was.
 * @throws when the keys that are there are those of another installation: its backups could not be read any more
 */
export async function keepKeysApart(making: string, folder: string, identity: string): Promise<void> {
  const apart = join(folder, APART)
  // Of a killed process.
  await rm(apart, { recursive: true, force: true })
  try {
    await moveKeys(join(making, DATABASE), join(apart, DATABASE))
    await requireSameInstallation(making, apart, folder, identity)
    await seal(apart, join(folder, KEYS_FILE), await identityToRecipient(identity))
  } finally {
    await rm(apart, { recursive: true, force: true })
  }
}

async function moveKeys(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const names = (await readdir(from)).filter((name) => name.startsWith(`${COLLECTION}.`))
  for (const name of names) await rename(join(from, name), join(to, name))
}

/** A family that was deleted has no key any more, but there is a row of its deletion. */
async function requireSameInstallation(making: string, apart: string, folder: string, identity: string): Promise<void> {
  const file = join(folder, KEYS_FILE)
  if (!existsSync(file)) return
  const before = join(apart, 'before')
  await unseal(file, identity, before)
  const earlier = await idsIn(before, COLLECTION)
  const known = new Set([...(await idsIn(apart, COLLECTION)), ...(await idsIn(making, 'removed_workspaces'))])
  await rm(before, { recursive: true })
  if (earlier.length === 0 || earlier.some((id) => known.has(id))) return
  throw new Error(
    `The backups in ${folder} are of another installation, or of one whose families were all deleted long ago. Set BACKUP_DIR to another folder; if nobody needs them any more, delete them.`,
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

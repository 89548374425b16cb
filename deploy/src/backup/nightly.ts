import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { identityToRecipient } from 'age-encryption'
import { type Dumped, dump } from './dump.ts'
import { backupName, madeAt, namesToDelete } from './keep.ts'
import { backupKey } from './key.ts'
import { seal } from './seal.ts'
import { changeStatus, readStatus } from './status.ts'
import { lastTryIsOld, tryRestore } from './try-restore.ts'

/** A backup that is being made is also the lock: its folder of this name. */
const MAKING = '.making'
/** Nobody needs that long: MongoDB keeps a snapshot for five minutes. */
const LEFT_BEHIND_MS = 3_600_000
const COPY_TIMEOUT_MS = 6 * 3_600_000
/** They belong to the mongod that is lost, or to the key itself; `environments.json` is written at each start. */
const NOT_IN_BACKUP = /^(?:mongod-|backup-key|environments)/

export type Nightly = {
  uri: string
  dataDir: string
  /** Where the backups are kept. */
  folder: string
  /** A shell command that copies the file `$1` to a second place. */
  copyCommand?: string | undefined
  /** Whether the newest one is restored once a month, beside the databases. Default: true. */
  isTried?: boolean
}

/**
 * Makes an encrypted backup of the databases and secrets, deletes those whose time is over, copies it, and once a month restores it
 * into scratch databases. What fails is in `status.json`. @throws what failed first
 */
export async function backUp(nightly: Nightly): Promise<string> {
  const { folder, isTried = true } = nightly
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await recordFailure(folder, 'failure', () => make(nightly))
  await prune(folder)
  const { copyCommand } = nightly
  const failures: unknown[] = []
  if (copyCommand !== undefined)
    await recordFailure(folder, 'copyFailure', () => copy(folder, file, copyCommand)).catch((error) =>
      failures.push(error),
    )
  if (isTried && lastTryIsOld(await readStatus(folder)))
    await tryBackup({ ...nightly, file }).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return file
}

type Tried = Pick<Nightly, 'uri' | 'dataDir' | 'folder'> & {
  /** By default the newest one in the folder. */
  file?: string
}

/** Restores a backup into scratch databases and counts. @returns the file @throws what is missing, which is also in `status.json` */
export async function tryBackup({ file, ...where }: Tried): Promise<string> {
  const { folder } = where
  const tried = file ?? (await newestBackup(folder))
  await recordFailure(folder, 'tryFailure', () => tryRestore({ ...where, file: tried }))
  return tried
}

async function newestBackup(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => [])
  const newest = names
    .filter((name) => madeAt(name) !== undefined)
    .toSorted()
    .at(-1)
  if (newest === undefined) throw new Error(`${folder} has no backup. Make one: npm run -s backup -- nightly`)
  return join(folder, newest)
}

/** Whether the newest backup is from before this moment. */
export async function isDue(folder: string, before: Date): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  return names.every((name) => (madeAt(name) ?? new Date(0)) < before)
}

async function make({ uri, dataDir, folder }: Nightly): Promise<string> {
  const at = new Date()
  const making = join(folder, MAKING)
  await takeTurn(making)
  try {
    const collections = await dump(uri, making)
    await copySecrets(dataDir, making)
    await writeManifest(making, at, collections)
    const file = join(folder, backupName(at))
    await seal(making, file, await identityToRecipient(await backupKey(dataDir)))
    await changeStatus(folder, { madeAt: at.toISOString(), file, bytes: (await stat(file)).size })
    return file
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** @throws while another backup is being made */
async function takeTurn(making: string): Promise<void> {
  const since = await stat(making).catch(() => undefined)
  if (since !== undefined && Date.now() - since.mtimeMs > LEFT_BEHIND_MS)
    await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 }).catch((error) => {
    throw error.code === 'EEXIST' ? new Error('Another backup is being made.') : error
  })
}

async function copySecrets(dataDir: string, making: string): Promise<void> {
  const from = join(dataDir, 'secrets')
  const to = join(making, 'secrets')
  await mkdir(to, { mode: 0o700 })
  const names = await readdir(from).catch(() => [])
  for (const name of names.filter((each) => !NOT_IN_BACKUP.test(each))) await copyFile(join(from, name), join(to, name))
}

/** What a restore must find again. */
async function writeManifest(making: string, at: Date, collections: readonly Dumped[]): Promise<void> {
  await writeFile(join(making, 'manifest.json'), JSON.stringify({ madeAt: at.toISOString(), collections }, null, 2))
}

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder)
  const parts = names.filter((name) => name.endsWith('.part'))
  for (const name of [...parts, ...namesToDelete(names)]) await rm(join(folder, name), { force: true })
}

async function copy(folder: string, file: string, command: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', command, 'sh', file], { timeout: COPY_TIMEOUT_MS })
  await changeStatus(folder, { copiedAt: new Date().toISOString() })
}

/** Keeps why it failed until it succeeds again. */
async function recordFailure<T>(
  folder: string,
  key: 'failure' | 'copyFailure' | 'tryFailure',
  work: () => Promise<T>,
): Promise<T> {
  try {
    const done = await work()
    await changeStatus(folder, { [key]: undefined })
    return done
  } catch (error) {
    await changeStatus(folder, { [key]: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

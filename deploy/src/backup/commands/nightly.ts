import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { createLock, holderOf } from '@family-inbox/local-stack/file-lock'
import { BEFORE_MIGRATION_KEPT_MS } from '@family-inbox/ops/doctor/backup-checks'
import { identityToRecipient } from 'age-encryption'
import type { Bucket } from '../bucket/bucket.ts'
import { copyToBucket, type Made } from '../bucket/copy-to-bucket.ts'
import { dumpSnapshot, type Snapshot } from '../dump.ts'
import { backupName, madeAt, namesToDelete } from '../keep.ts'
import { backupKey } from '../key.ts'
import { openSliceStore } from '../oplog/slice-store.ts'
import { positionText } from '../position.ts'
import { seal } from '../seal.ts'
import { changeStatus, readStatus } from '../status.ts'
import { lastTryIsOld, tryRestore } from '../try-restore.ts'
import { isOfKeys, KEYS_FILE, keepKeysApart, type Manifest, replaceKeys } from '../workspace-keys.ts'

/** The folder of a backup that is being made, and the lock of the process that makes it. */
const MAKING = '.making'
const LOCK = '.maker'
/** In the command line of that process, here and in a container. */
const MAKER = 'src/backup.ts'
const COPY_TIMEOUT_MS = 6 * 3_600_000
/** They belong to the mongod that is lost, or to the key itself; `environments.json` is written at each start. */
const NOT_IN_BACKUP = /^(?:mongod-|backup-key|environments)/

export type Nightly = {
  uri: string
  dataDir: string
  /** Where the backups are kept. */
  folder: string
  /** A shell command that copies the file `$1` to a second place. It runs for the backup, and for the keys of families. */
  copyCommand?: string | undefined
  /** Where it is copied, too. */
  bucket?: Bucket | undefined
  /** Whether the newest one is restored once a month, beside the databases. Default: true. */
  isTried?: boolean
}

/**
 * Makes an encrypted backup of the databases and secrets, deletes those whose time is over, copies it, also into a bucket, and once a
 * month restores it into scratch databases. What fails is in `status.json`. @throws what failed first
 */
export async function backUp(nightly: Nightly): Promise<string> {
  const { folder, isTried = true } = nightly
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const made = await recordFailure(folder, 'failure', () => make(nightly))
  const { file } = made
  const { copyCommand, bucket, dataDir } = nightly
  const failures: unknown[] = []
  if (copyCommand !== undefined)
    await recordFailure(folder, 'copyFailure', () => copy(folder, file, copyCommand)).catch((error) =>
      failures.push(error),
    )
  if (bucket !== undefined) {
    const store = async () => copyToBucket(bucket, made, await backupKey(dataDir))
    await recordFailure(folder, 'bucketFailure', store).catch((error) => failures.push(error))
  }
  // Also when nothing writes slices any more.
  await openSliceStore(folder, failures.length === 0 ? bucket : undefined)
    .update()
    .catch((error) => failures.push(error))
  if (isTried && lastTryIsOld(await readStatus(folder)))
    await tryBackup({ ...nightly, file }).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return file
}

/**
 * Makes a backup of data that the next start will migrate. It is kept for a month, or until the next migration. What fails is in `status.json`.
 * @throws what failed
 */
export async function backUpBeforeMigration(nightly: Nightly): Promise<string> {
  const { folder } = nightly
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { file } = await recordFailure(folder, 'failure', () => make(nightly, true))
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

/** Replaces the file of the keys of families, here and in the bucket. @returns false while a backup is being made, which has its own moment */
export async function refreshKeys({ uri, dataDir, folder, bucket }: Nightly): Promise<boolean> {
  if (await isTaken(join(folder, LOCK))) return false
  await using _lock = await takeTurn(join(folder, LOCK))
  const making = join(folder, MAKING)
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  try {
    await replaceKeys(uri, making, folder, await backupKey(dataDir))
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  await bucket?.put(KEYS_FILE, join(folder, KEYS_FILE))
  return true
}

async function make({ uri, dataDir, folder }: Nightly, isBeforeMigration = false): Promise<Made> {
  await using _lock = await takeTurn(join(folder, LOCK))
  const at = new Date()
  const making = join(folder, MAKING)
  // Of a killed process.
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  try {
    const { collections, oplog } = await dumpSnapshot(uri, making)
    const identity = await backupKey(dataDir)
    // First: a backup never has more than the keys beside it open.
    const families = collections.some(isOfKeys) ? await keepKeysApart(making, folder, identity) : new Set<string>()
    await copySecrets(dataDir, making)
    await writeManifest(making, at, { collections, ...(oplog && { oplog }) })
    const file = join(folder, backupName(at))
    await seal(making, file, await identityToRecipient(identity))
    const made = { madeAt: at.toISOString(), file }
    await changeStatus(folder, {
      ...made,
      bytes: (await stat(file)).size,
      oplogFrom: oplog && positionText(oplog.from),
      ...(isBeforeMigration && { beforeMigration: made }),
    })
    await prune(folder)
    return { file, families }
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** @throws while another process makes a backup */
async function takeTurn(lock: string): Promise<AsyncDisposable> {
  while (!(await createLock(lock))) {
    if (await isTaken(lock)) throw new Error('Another backup is being made.')
    await rm(lock, { force: true })
  }
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) }
}

async function isTaken(lock: string): Promise<boolean> {
  return (await holderOf(lock, MAKER)) !== undefined
}

async function copySecrets(dataDir: string, making: string): Promise<void> {
  const from = join(dataDir, 'secrets')
  const to = join(making, 'secrets')
  await mkdir(to, { mode: 0o700 })
  const names = await readdir(from).catch(() => [])
  for (const name of names.filter((each) => !NOT_IN_BACKUP.test(each))) await copyFile(join(from, name), join(to, name))
}

/** What a restore must find again. */
async function writeManifest(making: string, at: Date, { collections: all, ...moment }: Snapshot): Promise<void> {
  const collections = all.filter((each) => !isOfKeys(each))
  const keysApart = collections.length < all.length
  const manifest: Manifest = { madeAt: at.toISOString(), collections, keysApart, ...moment }
  await writeFile(join(making, 'manifest.json'), JSON.stringify(manifest, null, 2))
}

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder)
  const { beforeMigration } = await readStatus(folder)
  const isKept = beforeMigration && Date.now() - Date.parse(beforeMigration.madeAt) < BEFORE_MIGRATION_KEPT_MS
  const kept = isKept ? basename(beforeMigration.file) : undefined
  const parts = names.filter((name) => name.endsWith('.part'))
  const old = namesToDelete(names.filter((name) => name !== kept))
  for (const name of [...parts, ...old]) await rm(join(folder, name), { force: true })
}

async function copy(folder: string, file: string, command: string): Promise<void> {
  for (const each of [join(folder, KEYS_FILE), file].filter((path) => existsSync(path)))
    await promisify(execFile)('sh', ['-c', command, 'sh', each], { timeout: COPY_TIMEOUT_MS })
  await changeStatus(folder, { copiedAt: new Date().toISOString() })
}

/** Keeps why it failed until it succeeds again. */
async function recordFailure<T>(
  folder: string,
  key: 'failure' | 'copyFailure' | 'bucketFailure' | 'tryFailure',
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

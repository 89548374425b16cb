import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Environment } from '@family-inbox/service-kit/config/config'
import { type Bucket, openBucket } from '../bucket/bucket.ts'
import { fetchFromBucket } from '../bucket/copy-to-bucket.ts'
import { madeAt } from '../keep.ts'
import { SLICES } from '../oplog/ship.ts'
import { type Slice, slicesIn } from '../position.ts'
import { readBackupSettings } from '../settings.ts'

/** One is fetched at a time. */
const SLICE = 'slice.tar.gz.age'
const ADDRESS = /^s3:\/\/(?<place>.+)\/(?<name>[^/]+)$/

/** A backup that a command names, and what is beside it. */
export type NamedBackup = AsyncDisposable & {
  file: string
  /** The slices of the oplog in the folder `oplog` beside it. */
  slices(): Promise<Slice[]>
  /** @returns the file of a slice */
  fetch(slice: Slice): Promise<string>
}

/** A path, or `s3://bucket/folder/name`, which is fetched with the keys beside it until this is disposed. */
export async function openNamedBackup(named: string, env: Environment): Promise<NamedBackup> {
  const { place, name } = ADDRESS.exec(named)?.groups ?? {}
  if (place === undefined || name === undefined) return inFolder(resolve(named))
  const { bucket: settings } = readBackupSettings({ ...env, BACKUP_S3_BUCKET: place })
  if (settings === undefined) throw new Error(`${named} has no name of a bucket.`)
  const folder = await mkdtemp(join(tmpdir(), 'family-inbox-fetched-'))
  const dispose = () => rm(folder, { recursive: true, force: true })
  const bucket = openBucket(settings)
  const oplog = bucket.below(SLICES)
  try {
    return {
      file: await fetchFromBucket(bucket, name, folder),
      slices: async () => slicesIn((await oplog.list()).map((stored) => stored.name)),
      async fetch(slice) {
        await oplog.get(slice.name, join(folder, SLICE))
        return join(folder, SLICE)
      },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

function inFolder(file: string): NamedBackup {
  const oplog = join(dirname(file), SLICES)
  return {
    file,
    slices: async () => slicesIn(await readdir(oplog).catch(() => [])),
    fetch: async ({ name }) => join(oplog, name),
    async [Symbol.asyncDispose]() {},
  }
}

/** Each as a command takes it, with its size; the newest is last. */
export async function listBucket(bucket: Bucket): Promise<string[]> {
  const backups = (await bucket.list()).filter(({ name }) => madeAt(name) !== undefined)
  return backups.map(({ name, bytes }) => lineOf(bucket.address + name, bytes)).toSorted()
}

export async function listFolder(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => madeAt(name) !== undefined).toSorted()
  return Promise.all(names.map(async (name) => lineOf(join(folder, name), (await stat(join(folder, name))).size)))
}

function lineOf(place: string, bytes: number): string {
  return `${place}  ${(bytes / 1e6).toFixed(1)} MB`
}

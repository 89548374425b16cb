import { join, resolve } from 'node:path'
import { ConfigError, httpUrl, parseSettings, SECRET } from '@family-inbox/service-kit/config/config'
import { z } from 'zod'

export const settings = z.object({
  DATA_DIR: z.string().default('.data').describe('the folder for all data, for example .data'),
  BACKUP_DIR: z
    .string()
    .optional()
    .describe('the folder of the encrypted backups, for example /mnt/backups; default: `backups` in DATA_DIR'),
  BACKUP_COPY_COMMAND: z
    .string()
    .optional()
    .describe(
      'a shell command that copies a file to another machine, each encrypted backup and the workspace-keys.tar.gz.age beside it, for example rclone copy "$1" elsewhere:backups',
    ),
  BACKUP_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.-]+)*$/)
    .optional()
    .describe(
      'the S3-compatible bucket to which each encrypted backup is copied, and a folder in it if you like, for example family-backups/home',
    ),
  BACKUP_S3_ENDPOINT: httpUrl
    .optional()
    .describe(
      'the address of the storage that has BACKUP_S3_BUCKET, for example https://s3.eu-central-1.amazonaws.com',
    ),
  BACKUP_S3_REGION: z
    .string()
    .default('us-east-1')
    .describe('the region of BACKUP_S3_BUCKET; a storage without regions takes any, for example eu-central-1'),
  BACKUP_S3_ACCESS_KEY: z
    .string()
    .optional()
    .meta(SECRET)
    .describe('the id of the key that may list, read, write and delete in BACKUP_S3_BUCKET, for example AKIA…'),
  BACKUP_S3_SECRET_KEY: z
    .string()
    .optional()
    .meta(SECRET)
    .describe('the secret of BACKUP_S3_ACCESS_KEY, for example in a file that BACKUP_S3_SECRET_KEY_FILE names'),
})

/** Where a bucket is, and the key to it. */
export type BucketSettings = {
  endpoint: string
  region: string
  accessKey: string
  secretKey: string
  name: string
  /** Empty, or with a slash at its end. */
  folder: string
}

/** @throws ConfigError */
export function readBackupSettings(env: Readonly<Record<string, string | undefined>>) {
  const { DATA_DIR, BACKUP_DIR, BACKUP_COPY_COMMAND, ...storage } = parseSettings(settings, env)
  const dataDir = resolve(DATA_DIR)
  return {
    dataDir,
    folder: resolve(BACKUP_DIR ?? join(dataDir, 'backups')),
    copyCommand: BACKUP_COPY_COMMAND,
    bucket: bucketSettings(storage),
  }
}

type Storage = Omit<z.infer<typeof settings>, 'DATA_DIR' | 'BACKUP_DIR' | 'BACKUP_COPY_COMMAND'>

function bucketSettings(storage: Storage): BucketSettings | undefined {
  const { BACKUP_S3_BUCKET: place, BACKUP_S3_REGION: region } = storage
  if (place === undefined) return undefined
  const required = (name: 'BACKUP_S3_ENDPOINT' | 'BACKUP_S3_ACCESS_KEY' | 'BACKUP_S3_SECRET_KEY') => {
    const value = storage[name]
    if (value !== undefined) return value
    throw new ConfigError(`${name} is missing: ${settings.shape[name].description}`)
  }
  const [name = '', ...folders] = place.split('/')
  return {
    endpoint: required('BACKUP_S3_ENDPOINT'),
    region,
    accessKey: required('BACKUP_S3_ACCESS_KEY'),
    secretKey: required('BACKUP_S3_SECRET_KEY'),
    name,
    folder: folders.map((folder) => `${folder}/`).join(''),
  }
}

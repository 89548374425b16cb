import { join } from 'node:path'
import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import type { SetUp } from './set-up.ts'
import type { World } from './world.ts'

/** A night, and two hours for a slow one. */
const OLD_MS = 26 * HOUR_MS
const SLICES_OLD_MS = HOUR_MS
/** One is tried every month. */
const LONG_UNTRIED_MS = 40 * DAY_MS
/** Not longer: it holds what was deleted since. */
export const BEFORE_MIGRATION_KEPT_MS = 30 * DAY_MS

/** `status.json` beside the backups, which `npm run backup` writes. Times are ISO 8601. */
export type Status = {
  /** The last backup that was made. */
  madeAt?: string
  file?: string
  bytes?: number
  /** The place in the oplog after which slices may follow it. */
  oplogFrom?: string
  /** In `oplog/status.json`: the moment of the last entry in the slices of the oplog, and why the newest attempt added none. */
  slicedTo?: string
  oplogFailure?: string
  /** The last one that was made before data was migrated. It is kept for a month, or until the next one. */
  beforeMigration?: { madeAt: string; file: string }
  /** Why the newest attempt made none. */
  failure?: string
  /** The copy to a second place: when it last ended well, and why the newest one did not. */
  copiedAt?: string
  copyFailure?: string
  /** The copy in an S3-compatible bucket, in the same way. */
  storedAt?: string
  bucketFailure?: string
  /** The bucket keeps the keys of families that were replaced there. */
  bucketKeepsVersions?: true
  /** The last backup that was restored into scratch databases, and why the newest attempt failed. */
  triedAt?: string
  tryFailure?: string
  /** Somebody was shown the key that opens the backups. */
  keyShownAt?: string
}

/** The encrypted backups that are made every night. */
export async function checkBackups({ backups }: SetUp, world: World): Promise<Finding[]> {
  if (!backups.isOn) return [skipped('backups', 'None are made every night here. BACKUPS=on makes them.')]
  const read = (name: string): Promise<Status> =>
    world.readText(join(backups.folder, name)).then(JSON.parse, () => ({}))
  const [status, slices] = await Promise.all([read('status.json'), read('oplog/status.json')])
  return [
    checkAge(status, world.now()),
    checkTry(status, world.now()),
    ...checkCopies(status, backups, world.now()),
    ...checkSlices(slices, world.now()),
    checkKey(status),
    ...tellBeforeMigration(status, world.now()),
  ]
}

function tellBeforeMigration({ beforeMigration }: Status, now: Date): Finding[] {
  if (beforeMigration === undefined) return []
  const { madeAt, file } = beforeMigration
  if (now.getTime() - Date.parse(madeAt) > BEFORE_MIGRATION_KEPT_MS) return []
  return [ok('backup before an update', `The data from before the update on ${madeAt.slice(0, 10)} is in ${file}.`)]
}

function checkAge({ madeAt, failure }: Status, now: Date): Finding {
  const todo = 'Run: npm run -s backup -- nightly'
  if (failure !== undefined) return problem('backup', `The last backup failed: ${failure}`, todo)
  if (madeAt === undefined) return problem('backup', 'No backup has been made yet.', todo)
  const age = now.getTime() - Date.parse(madeAt)
  const says = `The last backup was made ${ago(age)}.`
  return age > OLD_MS ? problem('backup', says, todo) : ok('backup', says)
}

function checkTry({ madeAt, triedAt, tryFailure }: Status, now: Date): Finding {
  const todo = 'Run: npm run -s backup -- nightly'
  if (tryFailure !== undefined) return problem('restore', `The last backup could not be restored: ${tryFailure}`, todo)
  if (triedAt === undefined && madeAt === undefined) return skipped('restore', 'There is nothing to restore yet.')
  if (triedAt === undefined) return warning('restore', 'No backup has been restored as a trial yet.', todo)
  const age = now.getTime() - Date.parse(triedAt)
  const says = `A backup was last restored as a trial ${ago(age)}.`
  return age > LONG_UNTRIED_MS ? warning('restore', says, todo) : ok('restore', says)
}

function ago(ms: number): string {
  const [count, unit] = ms < 2 * DAY_MS ? [Math.floor(ms / HOUR_MS), 'hour'] : [Math.floor(ms / DAY_MS), 'day']
  return count === 0 ? 'within the last hour' : `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

function checkCopies(status: Status, { isCopied, bucket }: SetUp['backups'], now: Date): Finding[] {
  if (!isCopied && bucket === undefined)
    return [
      warning(
        'backup copy',
        'All backups are on this machine.',
        'Set BACKUP_COPY_COMMAND, for example: rclone copy "$1" elsewhere:backups; or BACKUP_S3_BUCKET and what belongs to it.',
      ),
    ]
  return [...(isCopied ? [checkCopy(status)] : []), ...(bucket === undefined ? [] : checkBucket(status, bucket, now))]
}

function checkCopy({ copyFailure }: Status): Finding {
  return copyFailure === undefined
    ? ok('backup copy', 'Each backup is copied to a second place.')
    : problem('backup copy', `The last backup was not copied: ${copyFailure}`, 'Try the BACKUP_COPY_COMMAND by hand.')
}

function checkBucket(status: Status, bucket: string, now: Date): Finding[] {
  const { storedAt, bucketFailure, bucketKeepsVersions } = status
  const check = 'backup in the bucket'
  const todo = 'Run: npm run -s backup -- nightly'
  const age = storedAt === undefined ? undefined : now.getTime() - Date.parse(storedAt)
  const says = `The last backup in s3://${bucket} was stored ${age === undefined ? 'never' : ago(age)}.`
  const isOld = age === undefined || age > OLD_MS
  const ofAge = isOld ? problem(check, says, todo) : ok(check, says)
  const found = bucketFailure === undefined ? ofAge : problem(check, bucketFailure, todo)
  const versions = warning(
    'versions in the bucket',
    `s3://${bucket} keeps earlier versions of the keys of families: whoever has one and the printed key reads a deleted family in an older backup.`,
    'Turn versioning off, or have the bucket delete noncurrent versions after a day.',
  )
  return bucketKeepsVersions ? [found, versions] : [found]
}

/** Where they were ever written. */
function checkSlices({ slicedTo, oplogFailure }: Status, now: Date): Finding[] {
  if (slicedTo === undefined && oplogFailure === undefined) return []
  const check = 'slices of the oplog'
  if (oplogFailure !== undefined) return [problem(check, oplogFailure, 'Run: npm run -s backup -- nightly')]
  const says = `A restore can name any time until ${slicedTo}.`
  const isOld = now.getTime() - Date.parse(slicedTo ?? '') > SLICES_OLD_MS
  return [isOld ? problem(check, says, 'Start it again: npm run -s backup -- oplog') : ok(check, says)]
}

function checkKey({ keyShownAt }: Status): Finding {
  if (keyShownAt !== undefined) return ok('backup key', `The key was shown on ${keyShownAt.slice(0, 10)}.`)
  return warning(
    'backup key',
    'Nobody has printed the key that opens the backups. If this machine is lost, they are worth nothing without it.',
    'Run: npm run -s backup -- key, and keep it on paper.',
  )
}

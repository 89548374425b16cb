// `npm run backup`: copies the services' databases as of one moment, and fills empty ones from a copy.
import { resolve } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { Command } from 'commander'
import { openBucket } from './backup/bucket/bucket.ts'
import { listBucket, listFolder, openNamedBackup } from './backup/commands/named-backup.ts'
import { backUp, backUpBeforeMigration, isDue, refreshKeys, tryBackup } from './backup/commands/nightly.ts'
import { restoreBackup } from './backup/commands/restore-backup.ts'
import { type Dumped, dump } from './backup/dump.ts'
import { findReplicaSet, openReplicaSet } from './backup/find-replica-set.ts'
import { backupKey, readKey } from './backup/key.ts'
import { moveFromCluster, moveToCluster, rebuild } from './backup/move.ts'
import { keepShipping, shipWhatIsThere } from './backup/oplog/keep-shipping.ts'
import { openSliceStore } from './backup/oplog/slice-store.ts'
import { restore } from './backup/restore.ts'
import { unseal } from './backup/seal.ts'
import { readBackupSettings } from './backup/settings.ts'
import { changeStatus } from './backup/status.ts'

const URI = [
  '--mongodb-uri <uri>',
  'the replica set; default: MONGODB_URI, or its file MONGODB_URI_FILE, else that of the running `npm start`. Other users of this machine can read options, but not settings',
] as const

const KEY = ['--key-file <file>', 'the file with the printed key, AGE-SECRET-KEY-1…'] as const

const program = new Command('npm run -s backup --').description(
  'Back up the services’ databases in mongodump’s format, encrypted or as they are. An encrypted backup is a file, or in a bucket s3://bucket/folder/name.',
)

program
  .command('nightly')
  .description(
    'Make an encrypted backup in BACKUP_DIR, delete old ones, and copy it with BACKUP_COPY_COMMAND and into BACKUP_S3_BUCKET. `npm start` may run or not.',
  )
  .option('--if-before <time>', 'do nothing if a backup was made since then, for example 2026-11-27T03:30:00Z')
  .option('--no-try', 'do not restore it into scratch databases once a month; the command try does')
  .action(async ({ ifBefore, try: isTried }) => {
    const { dataDir, folder, copyCommand, bucket } = readBackupSettings(readEnvironment())
    if (ifBefore !== undefined && !(await isDue(folder, new Date(ifBefore)))) return
    await using replicaSet = await openReplicaSet(dataDir)
    say(
      await backUp({
        uri: replicaSet.uri,
        dataDir,
        folder,
        copyCommand,
        bucket: bucket && openBucket(bucket),
        isTried,
      }),
    )
  })

program
  .command('list')
  .description('List the encrypted backups in BACKUP_S3_BUCKET, or, if that is not set, in BACKUP_DIR.')
  .action(async () => {
    const { folder, bucket } = readBackupSettings(readEnvironment())
    const at = bucket && openBucket(bucket)
    for (const line of at ? await listBucket(at) : await listFolder(folder)) say(line)
  })

program
  .command('try')
  .description('Restore the newest encrypted backup into scratch databases, count, and remove them.')
  .option(...URI)
  .action(async ({ mongodbUri }) => {
    const { dataDir, folder } = readBackupSettings(readEnvironment())
    say(await tryBackup({ uri: await findReplicaSet(mongodbUri), dataDir, folder }))
  })

program
  .command('before-migration')
  .description('Make an encrypted backup that is kept for a month. A start runs it, and ends it with itself.')
  .action(async () => {
    process.stdin
      .once('end', () => process.exit(1))
      .resume()
      .unref()
    const { dataDir, folder } = readBackupSettings(readEnvironment())
    say(await backUpBeforeMigration({ uri: await findReplicaSet(undefined), dataDir, folder }))
  })

program
  .command('key')
  .description('Show the key that opens the encrypted backups, to print. Without it they are worth nothing.')
  .action(async () => {
    const { dataDir, folder } = readBackupSettings(readEnvironment())
    say(await backupKey(dataDir))
    await changeStatus(folder, { keyShownAt: new Date().toISOString() })
  })

program
  .command('rebuild <file>')
  .description(
    'Make the empty DATA_DIR of a new server from an encrypted backup and the workspace-keys.tar.gz.age beside it. Then run npm start. People sign in again.',
  )
  .requiredOption(...KEY)
  .action(async (file, { keyFile }) => {
    const { dataDir } = readBackupSettings(readEnvironment())
    await using backup = await openNamedBackup(file, readEnvironment())
    print(await rebuild({ file: backup.file, pathOfKey: resolve(keyFile) }, dataDir))
  })

program
  .command('to-cluster <file> <keys>')
  .description(
    'Move to a cluster: fill its empty replica set from an encrypted backup, and make the folder <keys> of its secrets. People sign in again.',
  )
  .requiredOption(...KEY)
  .option(...URI)
  .option('--services-mongodb-uri <uri>', 'the same replica set as services reach it, if that differs')
  .option('--smtp-url <url>', 'the server for outgoing mail')
  .action(async (file, keys, { keyFile, mongodbUri, servicesMongodbUri, smtpUrl }) => {
    const uri = await findReplicaSet(mongodbUri)
    await using named = await openNamedBackup(file, readEnvironment())
    const backup = { file: named.file, pathOfKey: resolve(keyFile) }
    print(await moveToCluster(backup, resolve(keys), uri, { mongodbUri: servicesMongodbUri ?? uri, smtpUrl }))
  })

program
  .command('from-cluster <keys> [folder]')
  .description(
    'Move to one server: make its empty DATA_DIR from the folder <keys> of a cluster and a dump of make or mongodump; without <folder>, from the replica set. Then run npm start. People sign in again.',
  )
  .option(...URI)
  .action(async (keys, folder, { mongodbUri }) => {
    const { dataDir } = readBackupSettings(readEnvironment())
    const from = folder === undefined ? { uri: await findReplicaSet(mongodbUri) } : { folder: resolve(folder) }
    print(await moveFromCluster(resolve(keys), from, dataDir))
  })

program
  .command('open <file> <folder>')
  .description('Decrypt a backup into a folder, which this command’s restore and mongorestore read.')
  .requiredOption(...KEY)
  .action(async (file, folder, { keyFile }) => {
    await using backup = await openNamedBackup(file, readEnvironment())
    await unseal(backup.file, await readKey(keyFile), folder)
  })

program
  .command('make <folder>')
  .description('Write a snapshot of this moment, not encrypted. Services keep running.')
  .option(...URI)
  .action(async (folder, { mongodbUri }) => print(await dump(await findReplicaSet(mongodbUri), folder)))

program
  .command('oplog')
  .description(
    'Write slices of the oplog beside the backups, until it is stopped: a restore can name a time between two backups then. They are copied into BACKUP_S3_BUCKET.',
  )
  .option('--every <seconds>', 'how often', '60')
  .option('--once', 'only what is there now')
  .option(...URI)
  .action(async ({ every, once, mongodbUri }) => {
    const { bucket: named, ...settings } = readBackupSettings(readEnvironment())
    const bucket = named && openBucket(named)
    const backups = { ...settings, uri: await findReplicaSet(mongodbUri), bucket }
    const shipping = { ...backups, keepKeys: () => refreshKeys(backups) }
    const store = openSliceStore(settings.folder, bucket)
    if (once) for (const name of await shipWhatIsThere(shipping, store)) say(name)
    else await keepShipping(shipping, store, secondsOf(every) * 1000, complain)
  })

program
  .command('restore <from>')
  .description(
    'Fill empty databases from a folder of make, open or mongodump, or from an encrypted backup. Run it before any service starts.',
  )
  .option('--key-file <file>', KEY[1])
  .option(
    '--until <time>',
    'also replay the slices in the folder oplog beside the encrypted backup, up to this time, for example 2026-11-27T09:30:00Z. A later time continues.',
  )
  .option(...URI)
  .action(async (from, { keyFile, until, mongodbUri }) => {
    const uri = await findReplicaSet(mongodbUri)
    if (keyFile === undefined && until === undefined) return print(await restore(uri, resolve(from)))
    if (keyFile === undefined) throw new Error('--until needs an encrypted backup and its --key-file.')
    await using backup = await openNamedBackup(from, readEnvironment())
    const restored = await restoreBackup(backup, resolve(keyFile), uri, until && timeIn(until))
    print(restored.collections)
    const { replayed } = restored
    if (replayed) say(`Replayed ${replayed.changes} changes; the last is of ${replayed.at.toISOString()}.`)
  })

function print(collections: Dumped[]) {
  for (const { database, collection, documents } of collections) say(`${database}.${collection}: ${documents}`)
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

function complain(line: string) {
  process.stderr.write(`${line}\n`)
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (seconds >= 1) return seconds
  throw new Error(`--every is a number of seconds, at least 1, not ${text}.`)
}

function timeIn(text: string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime()) && /(?:Z|[+-]\d\d:?\d\d)$/i.test(text)) return time
  throw new Error(`--until is an ISO 8601 time with a zone, for example 2026-11-27T09:30:00Z, not ${text}.`)
}

try {
  await program.parseAsync()
} catch (error) {
  complain(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

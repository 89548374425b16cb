import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startStack } from '@family-inbox/local-stack/stack'
import { generateX25519Identity } from 'age-encryption'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { callsTo, type Family, startFamily } from '../_family.ts'
import { makeFolders, receive, runBackup, subjectsOf } from './_backups.ts'

test('an encrypted backup of the night makes a new server, whose family signs in and reads its mail', async (t) => {
  await using folders = await makeFolders()
  const before = await startFamily({ dataDir: folders.lost })
  const { family } = before
  await receive(before, 'A mail of the day', 'desk@clinic.example')
  const gone = { ...before, family: await before.another({ others: ['coordinator', 'viewer'] }) }
  await receive(gone, 'Of a family that is deleted', 'desk@clinic.example')
  const copies = join(folders.lost, 'copies')
  const nightly = {
    DATA_DIR: folders.lost,
    BACKUP_COPY_COMMAND: `mkdir -p "${copies}" && cp "$1" "${copies}/"`,
  }
  const run = (args: string[], settings: Record<string, string> = nightly) => runBackup(args, settings)
  await run(['nightly'])
  await t.notThrowsAsync(run(['nightly', '--if-before', new Date(0).toISOString()]))
  const made = (await readdir(join(folders.lost, 'backups'))).sort()
  const [backupName = ''] = made
  t.deepEqual(made, [backupName, 'status.json', 'workspace-keys.tar.gz.age'], 'one backup: this night has one already')
  const status = JSON.parse(await readFile(join(folders.lost, 'backups/status.json'), 'utf8'))
  t.true(typeof status.triedAt === 'string', 'it was restored as a trial')
  t.deepEqual([status.failure, status.copyFailure, status.tryFailure], [undefined, undefined, undefined])
  const sealed = await readFile(join(copies, backupName))
  t.true(sealed.toString('latin1').startsWith('age-encryption.org/v1'))
  t.false(sealed.includes('clinic.example'))
  await using inbox = await openDatabase(before.stack, 'inbox')
  // As the deletion of the family does it.
  const keys = inbox.db().collection<{ _id: string }>('workspace_keys')
  t.is((await keys.deleteOne({ _id: gone.family.workspaceId })).deletedCount, 1)
  await run(['nightly'])
  const keyFile = join(folders.backup, 'key.txt')
  await mkdir(folders.backup)
  await writeFile(keyFile, (await run(['key'])).stdout)
  const scratch = new MongoClient(before.stack.mongoUri)
  const { databases } = await scratch.db().admin().listDatabases({ nameOnly: true })
  await scratch.close()
  t.false(
    databases.some(({ name }) => name.startsWith('backup_try_')),
    'nothing of the trial is left',
  )
  await before.stack.crash()
  const file = join(folders.backup, backupName)
  await writeFile(file, sealed)

  const otherKey = join(folders.backup, 'other.txt')
  await writeFile(otherKey, `${await generateX25519Identity()}\n`)
  const onNew = { DATA_DIR: folders.rebuilt }
  await t.throwsAsync(run(['rebuild', file, '--key-file', otherKey], onNew), {
    message: /cannot be opened with this key/,
  })
  await writeFile(`${file}.bent`, Buffer.concat([sealed.subarray(0, -1), Buffer.of((sealed.at(-1) ?? 0) ^ 1)]))
  await t.throwsAsync(run(['rebuild', `${file}.bent`, '--key-file', keyFile], onNew))
  await t.throwsAsync(stat(folders.rebuilt), { code: 'ENOENT' }, 'a damaged backup makes half a server of nothing')
  await t.throwsAsync(run(['rebuild', file, '--key-file', keyFile], onNew), {
    message: /workspace-keys\.tar\.gz\.age is missing/,
  })
  await cp(join(copies, 'workspace-keys.tar.gz.age'), join(folders.backup, 'workspace-keys.tar.gz.age'))
  await run(['rebuild', file, '--key-file', keyFile], onNew)
  await t.throwsAsync(run(['rebuild', file, '--key-file', keyFile], onNew), { message: /is not empty/ })
  await using stack = await startStack({ dataDir: folders.rebuilt })
  const after: Family = { ...before, stack, ...callsTo(stack.apiUrl) }
  t.true((await subjectsOf(after, family.lovedOnes[0]?.id ?? '')).includes('A mail of the day'))
  const ofGone = await subjectsOf({ ...after, family: gone.family }, gone.family.lovedOnes[0]?.id ?? '')
  t.deepEqual([...new Set(ofGone)], [''], 'its key is not beside the backup from before its deletion')
})

test('a new server does not replace the keys that open the backups of another one', async (t) => {
  await using folders = await makeFolders()
  const nightly = async (dataDir: string) => {
    await using f = await startFamily({ dataDir })
    await receive(f, 'A mail', 'desk@clinic.example')
    await runBackup(['nightly'], { DATA_DIR: dataDir, BACKUP_DIR: folders.backup })
  }
  await nightly(folders.lost)
  const keys = await readFile(join(folders.backup, 'workspace-keys.tar.gz.age'))
  await mkdir(join(folders.again, 'secrets'), { recursive: true })
  await cp(join(folders.lost, 'secrets/backup-key.txt'), join(folders.again, 'secrets/backup-key.txt'))
  await t.throwsAsync(nightly(folders.again), { message: /are of another installation[\s\S]+Set BACKUP_DIR/ })
  t.true(keys.equals(await readFile(join(folders.backup, 'workspace-keys.tar.gz.age'))))
  const { failure } = JSON.parse(await readFile(join(folders.backup, 'status.json'), 'utf8'))
  t.regex(failure, /another installation/, 'which the doctor says')
})

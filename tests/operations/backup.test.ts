import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { generateX25519Identity } from 'age-encryption'
import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { connect } from 'nats'
import { openDatabase } from '../_database.ts'
import { callsTo, type Family, send, startFamily } from '../_family.ts'
import { type SunkMail, startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { linkAgency } from '../app/_agency.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'

const env = { TOOL_CALLS_PER_MINUTE: '1000000' }
const SCAN = Buffer.alloc(3_000_000, 'What the doctor wrote. ')

/** Those about to be sent at the moment of a backup may repeat. */
const isNoAlarm = ({ headers }: SunkMail) => !/^Subject: .* wrote for the first time$/m.test(headers)

test('a backup made while everything runs restores all of a family’s data, and no mail goes out twice', async (t) => {
  await using folders = await makeFolders()
  let isOpen = false
  const waits = 'waits@clinic.example'
  await using sink = await startMailSink(({ to }) =>
    to.includes(waits) && !isOpen ? { code: 451, text: 'later' } : undefined,
  )
  const before = await startFamily({ env: { ...env, SMTP_URL: sink.url }, dataDir: folders.lost })
  const { family } = before
  const deleted = await before.another()
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  const answered = await receive(before, 'An answered mail', 'desk@clinic.example')
  await answer(before, answered)
  await sink.waitFor('desk@clinic.example')
  await (await linkAgency(before, family)).note('Walked to the park')
  const visitor = await signIn(before, sink, family.people.owner)
  // Still undelivered at the time of the backup and of the loss.
  await answer(before, await receive(before, 'A mail whose answer waits', waits))

  await using load = startLoad(before)
  await backup('make', folders.backup, { DATA_DIR: before.stack.dataDir })
  await load[Symbol.asyncDispose]()
  await receive(before, 'A mail after the backup', 'desk@clinic.example')
  await deleteWorkspace(before, sink, deleted.people.owner)
  const mailed = sink.mails.length
  await before.stack.crash()
  isOpen = true

  await rebuild(t, folders)
  await using stack = await startStack({ env: { ...env, SMTP_URL: sink.url }, dataDir: folders.rebuilt })
  const after: Family = { ...before, stack, ...callsTo(stack.apiUrl) }
  const subjects = await subjectsOf(after, lovedOneId)
  t.true(subjects.includes('An answered mail'))
  t.false(subjects.includes('A mail after the backup'))
  const session = returning(after, visitor)
  const page = await session(`/inbox/${lovedOneId}/${answered}`)
  t.regex(page, /An answered mail[\s\S]*Delivered to their mail server/)
  t.true((await session(`/inbox/${lovedOneId}/${answered}/files/0`)) === SCAN.toString())
  t.regex(await session('/timeline'), /Walked to the park/)
  await untilRefused(after, deleted.keys.owner)

  await sink.waitFor(waits, 1, 60_000)
  await answer(after, answered, 'And one more thing')
  await sink.waitFor('desk@clinic.example', 2)
  const repeated = sink.mails
    .slice(mailed)
    .filter(isNoAlarm)
    .map(({ to }) => to[0])
  t.deepEqual(repeated.sort(), ['desk@clinic.example', waits], 'what waited, and what was written now')
})

test('a restore is byte-identical and overwrites nothing', async (t) => {
  await using folders = await makeFolders()
  await using first = await startMongodIn(folders.lost)
  await using client = await new MongoClient(first.uri).connect()
  const rows = client.db('inbox').collection('messages')
  const { Double, Int32, Long, Binary } = await import('mongodb')
  await rows.insertMany([
    { long: Long.fromNumber(3), int: new Int32(3), double: new Double(3), bytes: new Binary(SCAN), none: null },
    { at: new Date(0), deep: [{ a: [1, 2.5, 'x'] }], long: Long.MAX_VALUE, text: 'é\u0000' },
    ...Array.from({ length: 2500 }, (_, index) => ({ index, text: 'x'.repeat(index) })),
  ])
  await rows.createIndex({ index: -1 }, { unique: true, sparse: true, name: 'newest' })
  await client.db('auth').collection('audit_entries').createIndex({ startedAt: 1 }, { expireAfterSeconds: 86_400 })
  await backup('make', folders.backup, { MONGODB_URI: first.uri })
  await using second = await startMongodIn(folders.rebuilt)
  await backup('restore', folders.backup, { MONGODB_URI: second.uri })
  await backup('make', folders.again, { MONGODB_URI: second.uri })
  const files = (await readdir(folders.backup, { recursive: true })).filter((name) => name.includes('.')).sort()
  t.deepEqual(files, [
    'auth/audit_entries.bson',
    'auth/audit_entries.metadata.json',
    'inbox/messages.bson',
    'inbox/messages.metadata.json',
  ])
  for (const file of files) {
    const [was, is] = await Promise.all([folders.backup, folders.again].map((folder) => readFile(join(folder, file))))
    t.true(was?.equals(is ?? Buffer.of()), file)
  }
  const refusal = await t.throwsAsync(backup('restore', folders.backup, { MONGODB_URI: second.uri }))
  t.regex(refusal?.message ?? '', /The database inbox is not empty/)
})

test('an encrypted backup of the night makes a new server, whose family signs in and reads its mail', async (t) => {
  await using folders = await makeFolders()
  const before = await startFamily({ env, dataDir: folders.lost })
  const { family } = before
  await receive(before, 'A mail of the day', 'desk@clinic.example')
  const gone = { ...before, family: await before.another() }
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
  await using stack = await startStack({ env, dataDir: folders.rebuilt })
  const after: Family = { ...before, stack, ...callsTo(stack.apiUrl) }
  t.true((await subjectsOf(after, family.lovedOnes[0]?.id ?? '')).includes('A mail of the day'))
  const ofGone = await subjectsOf({ ...after, family: gone.family }, gone.family.lovedOnes[0]?.id ?? '')
  t.deepEqual([...new Set(ofGone)], [''], 'its key is not beside the backup from before its deletion')
})

test('a new server does not replace the keys that open the backups of another one', async (t) => {
  await using folders = await makeFolders()
  const nightly = async (dataDir: string) => {
    await using f = await startFamily({ env, dataDir })
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

/** Rebuilds from the backup, the secrets and NATS, after the databases were lost. */
async function rebuild(t: ExecutionContext, { lost, rebuilt, backup: folder }: Folders): Promise<void> {
  for (const kept of ['secrets', 'nats-server']) await cp(join(lost, kept), join(rebuilt, kept), { recursive: true })
  await using mongod = await startMongodIn(rebuilt)
  await backup('restore', folder, { MONGODB_URI: mongod.uri })
  // Deletions after the backup happen again: services read the stream of removals from the start.
  await using nothing = await startStack({ services: [], dataDir: rebuilt, env: { MONGODB_URI: mongod.uri } })
  const nats = await connect({ servers: nothing.natsUrl, ...natsLogin(nothing.opsKey) })
  const { consumers } = await nats.jetstreamManager()
  const readers = await consumers.list('REMOVALS').next()
  t.true(readers.length > 0)
  for (const { name } of readers) await consumers.delete('REMOVALS', name)
  await nats.close()
}

type Folders = AsyncDisposable & { lost: string; rebuilt: string; backup: string; again: string }

async function makeFolders(): Promise<Folders> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-backup-'))
  const folder = (name: string) => join(dir, name)
  return {
    lost: folder('lost'),
    rebuilt: folder('rebuilt'),
    backup: folder('backup'),
    again: folder('again'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

/** In the same folder as a stack's own mongod. */
async function startMongodIn(dataDir: string) {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  const dir = join(dataDir, 'mongod')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile: `${dir}.log`, cacheSizeGb: 0.25 })
}

async function backup(
  verb: 'make' | 'restore',
  folder: string,
  from: { MONGODB_URI: string } | { DATA_DIR: string },
): Promise<void> {
  await runBackup([verb, folder], from)
}

function runBackup(args: string[], settings: Record<string, string>) {
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  const options = { timeout: 60_000, env: { ...process.env, ...settings } }
  return promisify(execFile)(process.execPath, [main, ...args], options)
}

/** Writes continuously during the backup. */
function startLoad(f: Family): AsyncDisposable {
  let isOn = true
  const work = (async () => {
    for (; isOn; await sleep(5)) await f.call(f.family.keys.owner, 'list_loved_ones')
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOn = false
      await work
    },
  }
}

async function receive(f: Family, subject: string, from: string): Promise<string> {
  const lovedOne = f.family.lovedOnes[0]
  const raw = multipartMail({ Subject: subject, From: from, 'Message-ID': `<${subject.length}@x.example>` }, 'mixed', [
    text('Good day'),
    attachment('scan.txt', 'text/plain', SCAN),
  ])
  await openMailer(f.stack).deliver(lovedOne?.inboxAddress ?? '', raw)
  const messages = await messagesOf(f, lovedOne?.id ?? '')
  return messages.find((message) => message.subject === subject)?.id ?? ''
}

async function messagesOf(f: Family, lovedOneId: string): Promise<{ id: string; subject: string }[]> {
  const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50 })
  return json.result.structuredContent.messages
}

async function subjectsOf(f: Family, lovedOneId: string): Promise<string[]> {
  return (await messagesOf(f, lovedOneId)).map(({ subject }) => subject)
}

async function answer(f: Family, messageId: string, body = 'Thank you'): Promise<void> {
  const { json } = await f.call(f.family.keys.owner, 'reply_to_inbox_message', { messageId, body })
  if (json.result?.isError !== undefined && json.result.isError) throw new Error(json.result.content[0].text)
}

async function deleteWorkspace(f: Family, sink: Parameters<typeof signIn>[1], email: string): Promise<void> {
  const owner = await signIn(f, sink, email)
  await owner.submit('/settings/your-data/delete-family', { confirm: 'The Almeida family' })
}

/** The same browser with its cookie. Retries when the machine is too busy. */
function returning({ stack }: Family, { cookie }: Visitor) {
  return async (path: string): Promise<string> => {
    for (const giveUpAt = Date.now() + 30_000; ; await sleep(500)) {
      const { status, text: page } = await send(new URL(path, stack.inboxUrl).href, { headers: { cookie } })
      if (status === 200) return page
      if (status !== 503 || Date.now() > giveUpAt) throw new Error(`${path} is answered ${status}`)
    }
  }
}

async function untilRefused(f: Family, key: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await f.call(key, 'list_loved_ones')).status === 401) return
    await sleep(100)
  }
  throw new Error('a deleted workspace came back')
}

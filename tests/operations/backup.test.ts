import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStack } from '@family-inbox/local-stack/stack'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { connect } from 'nats'
import { callsTo, type Family, send, startFamily } from '../_family.ts'
import { type SunkMail, startMailSink } from '../_mail-sink.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil, until } from '../_wait.ts'
import { linkAgency } from '../app/_agency.ts'
import { backup, type Folders, makeFolders, receive, SCAN, startMongodIn, subjectsOf } from './_backups.ts'

const env = { TOOL_CALLS_PER_MINUTE: '1000000' }

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
  await until(async () => (await after.call(deleted.keys.owner, 'list_loved_ones')).status === 401, 30_000)

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
    const ask = () => send(new URL(path, stack.inboxUrl).href, { headers: { cookie } })
    const { status, text: page } = await readUntil(ask, (answer) => answer.status !== 503, 30_000)
    if (status !== 200) throw new Error(`${path} is answered ${status}`)
    return page
  }
}

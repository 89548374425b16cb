import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { newSecret } from '@family-inbox/local-stack/secrets'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Migration, migrate } from '@family-inbox/service-kit/mongo/migrate'
import { connectMongo, createIndexes } from '@family-inbox/service-kit/mongo/mongo'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import type { Connection } from 'mongoose'
import { auditEntryModel } from '../../services/auth/src/models/audit-entry.ts'
import { migrations as inboxMigrations } from '../../services/inbox/src/migrations/index.ts'
import { markFiles } from '../../services/inbox/src/migrations/mark-files.ts'

const test = anyTest as TestFn<Stack>
const logger = createLogger('test', 'error')

/** The driver times out after 6 s (service-kit/src/mongo/mongo.ts). */
const LONGER_THAN_A_WAIT_MS = 8000

test.before(async (t) => {
  t.context = await startStack({ services: [], ownMongod: true })
})
test.after.always((t) => (t.context as Partial<Stack>)[Symbol.asyncDispose]?.())

test('replicas that start together run each migration once, in order, and none continues before the last is done', async (t) => {
  const connect = newDatabase(t)
  const ran: string[] = []
  const migrations = ['one', 'two', 'three'].map(
    (name): Migration =>
      async (connection) => {
        ran.push(`${name} begins`)
        await connection.collection('work').insertOne({ name })
        ran.push(`${name} ends`)
      },
  )
  const start = async () => {
    await migrate(await connect(), migrations, logger)
    t.is(ran.at(-1), 'three ends')
  }
  await Promise.all([start(), start(), start()])
  await start()
  t.deepEqual(
    ran,
    ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

test('a later version runs only new migrations', async (t) => {
  const connection = await newDatabase(t)()
  const ran: number[] = []
  const upTo = (count: number) =>
    Array.from(
      { length: count },
      (_, index): Migration =>
        async () =>
          void ran.push(index + 1),
    )
  await migrate(connection, upTo(2), logger)
  await migrate(connection, upTo(4), logger)
  t.deepEqual(ran, [1, 2, 3, 4])
})

test('another replica takes over from one that dies while migrating, not from a slow one', async (t) => {
  const connect = newDatabase(t)
  const times = { leaseMs: 2000, renewEveryMs: 200 }
  const died = await connect()
  let begun = 0
  const forever: Migration = () => {
    begun += 1
    return new Promise(() => {})
  }
  void migrate(died, [forever], logger, times)
  await waitFor(async () => begun === 1 || undefined, {
    timeoutMs: 30_000,
    timeout: () => new Error('migration did not start'),
  })
  let isDead = false
  const following = migrate(await connect(), [async () => void t.true(isDead)], logger, times)
  const schema = (await connect()).collection<{ _id: string; until?: Date }>('schema')
  const leased = async () => (await schema.findOne({ _id: 'schema' }))?.until?.getTime() ?? 0
  const first = await leased()
  await waitFor(async () => (await leased()) > first + times.leaseMs || undefined, {
    timeoutMs: 30_000,
    timeout: () => new Error('lease not renewed'),
  })
  isDead = true
  await died.destroy()
  await following
  t.like(await schema.findOne({ _id: 'schema' }), { version: 1, holder: undefined, until: undefined })
})

test('a failed migration stops the start, and the next start repeats it', async (t) => {
  const connection = await newDatabase(t)()
  let isWell = false
  const ran: string[] = []
  const steps: Migration[] = [
    async () => void ran.push('first'),
    async () => {
      if (!isWell) throw new Error('not today')
      ran.push('second')
    },
  ]
  await t.throwsAsync(migrate(connection, steps, logger), { message: 'not today' })
  isWell = true
  await migrate(connection, steps, logger)
  t.deepEqual(ran, ['first', 'second'])
})

test.serial('a start survives an index that takes longer than the driver’s timeouts', async (t) => {
  const connection = await newDatabase(t)()
  const admin = connection.getClient().db('admin')
  const { collection } = auditEntryModel(connection, 365)
  await collection.insertOne({ startedAt: new Date() })
  // Index builds must wait here, as on a large collection.
  await admin.command({ fsync: 1, lock: true })
  let isMade = false
  const made = createIndexes(connection).then(() => {
    isMade = true
  })
  await sleep(LONGER_THAN_A_WAIT_MS)
  t.false(isMade)
  t.is(await collection.countDocuments(), 1, 'others are served')
  await admin.command({ fsyncUnlock: 1 })
  await made
  t.true(Object.hasOwn(await collection.indexInformation(), 'startedAt_1'))
})

test('an older service does not start on a newer database and says so in one line', async (t) => {
  const database = `newer_${randomText(8)}`
  const uri = databaseUri(t.context.mongoUri, database)
  const connection = await connectMongo(uri, logger)
  await connection.collection<{ _id: string }>('schema').insertOne({ _id: 'schema', version: 1000 } as never)
  await connection.close()
  const { code, lines } = await startSandbox(t.context, uri)
  t.is(code, 1)
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', /schema version 1000, but this service supports versions up to \d+: start the newer service/)
})

test('chunks of large mails without a date get the date of their latest mail', async (t) => {
  const connection = await newDatabase(t)()
  const owner = { workspaceId: 'wsp_1', lovedOneId: 'lov_1' }
  const mail = { ...owner, originalHash: 'abc', size: 100_000 }
  const earlier = new Date('2026-01-01T00:00:00Z')
  const later = new Date('2026-02-01T00:00:00Z')
  await connection
    .collection<{ _id: string }>('messages')
    .insertMany([
      { _id: 'wsp_1/lov_1/msg_1', ...mail, receivedAt: later } as never,
      { _id: 'wsp_1/lov_1/msg_2', ...mail, receivedAt: earlier } as never,
      { _id: 'wsp_1/lov_1/msg_3', ...owner, size: 10, receivedAt: earlier } as never,
    ])
  const pieces = connection.collection<{ _id: string; receivedAt?: Date }>('originals')
  await pieces.insertMany([{ _id: 'wsp_1/lov_1/abc/0' }, { _id: 'wsp_1/lov_1/other/0' }])
  await migrate(connection, inboxMigrations, logger)
  t.deepEqual((await pieces.findOne({ _id: 'wsp_1/lov_1/abc/0' }))?.receivedAt, later)
  t.is((await pieces.findOne({ _id: 'wsp_1/lov_1/other/0' }))?.receivedAt, undefined)
})

test('mail that was indexed without the order of its words is found by a time', async (t) => {
  const connection = await newDatabase(t)()
  const _id = 'wsp_1/lov_1/msg_1'
  const from = { name: 'Desk', address: 'desk@clinic.example' }
  const mail = { _id, subject: 'Visit', from, attachments: [], text: 'At 10:30, room 30' }
  await connection.collection<{ _id: string }>('messages').insertOne(mail as never)
  const entries = connection.collection<{ _id: string; words: string }>('index_entries')
  await entries.insertOne({ _id, words: ' visit desk at 10 30 room' })
  await migrate(connection, inboxMigrations, logger)
  t.is((await entries.findOne({ _id }))?.words, ' visit | desk | desk clinic example | at 10 30 room 30')
})

test('mail that arrived earlier is in conversations', async (t) => {
  const connection = await newDatabase(t)()
  const mail = (id: string, inbox: string, messageIdHeader: string, inReplyTo?: string) => ({
    _id: `wsp_1/${inbox}/${id}`,
    workspaceId: 'wsp_1',
    lovedOneId: inbox,
    messageIdHeader,
    ...(inReplyTo && { inReplyTo }),
    subject: 'Visit',
    from: { name: 'Desk', address: 'desk@clinic.example' },
    attachments: [],
    text: 'Hello',
    receivedAt: new Date('2026-01-01T00:00:00Z'),
  })
  const messages = connection.collection<{ _id: string; conversationId?: string }>('messages')
  const entries = connection.collection<{ _id: string; conversationId?: string }>('index_entries')
  const rows = [
    mail('msg_1', 'lov_1', '<a@x>', '<b@x>'),
    mail('msg_2', 'lov_1', '<b@x>'),
    mail('msg_3', 'lov_1', '<c@x>'),
    mail('msg_4', 'lov_2', '<d@x>', '<b@x>'),
    mail('msg_5', 'lov_2', '<e@x>', '<ours@x>'),
  ]
  await messages.insertMany(rows as never[])
  const keyOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, 16)
  await entries.insertMany(
    rows.map(({ _id }) => ({ _id, conversation: _id.endsWith('4') ? [keyOf('<ours@x>')] : [] })) as never[],
  )
  for (let times = 0; times < 2; times += 1) for (const run of inboxMigrations) await run(connection)
  for (const collection of [messages, entries]) {
    const named = await collection.find().sort({ _id: 1 }).toArray()
    t.deepEqual(
      named.map(({ conversationId }) => conversationId),
      ['msg_1', 'msg_1', 'msg_3', 'msg_4', 'msg_4'],
    )
  }
})

test('last week’s conversations are open, each once, and earlier ones are not', async (t) => {
  const connection = await newDatabase(t)()
  const inbox = { workspaceId: 'wsp_1', lovedOneId: 'lov_1' }
  const addresses = connection.collection<{ _id: string }>('inbox_addresses')
  await addresses.insertMany(['a@x', 'b@x'].map((_id) => ({ _id, ...inbox })) as never[])
  const from = { name: 'Desk', address: 'desk@clinic.example' }
  // More than one batch.
  const rows = Array.from({ length: 1203 }, (_, index) => ({
    _id: `wsp_1/lov_1/msg_${index}`,
    ...inbox,
    from,
    subject: `Visit ${index}`,
    messageIdHeader: `<${index === 1 ? 'answer' : index}@x>`,
    ...(index === 1 && { inReplyTo: '<0@x>' }),
    receivedAt: new Date(Date.now() - (index === 2 ? 8 : 1) * 86_400_000),
  }))
  await connection.collection<{ _id: string }>('messages').insertMany(rows as never[])
  for (let times = 0; times < 2; times += 1) for (const run of inboxMigrations) await run(connection)
  const statuses = connection.collection<{ _id: string; status: string; version: number }>('conversation_statuses')
  t.is(await statuses.countDocuments({ status: 'open', version: 1 }), 1201)
  t.is(await statuses.countDocuments(), 1201)
})

test('earlier mail whose files have pages waits to be read, whatever their type and name, also where only some were marked', async (t) => {
  const connection = await newDatabase(t)()
  const ids = (kind: string) => Array.from({ length: 600 }, (_, at) => `wsp_1/lov_1/msg_${at}${kind}`)
  const files: Record<string, { contentType: string; filename: string; size?: number }> = {
    type: { contentType: 'application/pdf', filename: 'a' },
    large: { contentType: 'Application/PDF', filename: 'a' },
    old: { contentType: 'application/x-pdf', filename: 'a' },
    bytes: { contentType: 'application/octet-stream', filename: 'Report.PDF' },
    download: { contentType: 'application/force-download', filename: 'report.pdf' },
    picture: { contentType: 'image/png', filename: 'report.pdf' },
    empty: { contentType: 'application/pdf', filename: 'a', size: 0 },
    huge: { contentType: 'application/pdf', filename: 'a', size: 20_000_000 },
    words: { contentType: 'application/octet-stream', filename: 'pdf.docx' },
  }
  const picture = { index: 0, contentType: 'image/png', filename: 'a.png', size: 9 }
  const from = { name: '', address: 'lab@clinic.example' }
  const rows = Object.entries(files).flatMap(([kind, file]) =>
    ids(kind).map((_id) => ({ _id, from, subject: '', attachments: [picture, { index: 1, size: 9, ...file }] })),
  )
  const messages = connection.collection<{ _id: string; attachmentTextPending?: true }>('messages')
  await messages.insertMany([...rows, { _id: 'wsp_1/lov_1/msg', from, subject: '', attachments: [] }] as never[])
  // As an installation that ran the first version.
  const schema = connection.collection<{ _id: string; version: number }>('schema')
  await schema.insertOne({ _id: 'schema', version: inboxMigrations.indexOf(markFiles) + 1 })
  await migrate(connection, inboxMigrations, logger)
  const marked = await messages.distinct('_id', { attachmentTextPending: true })
  t.deepEqual(marked.toSorted(), ['type', 'large', 'old', 'bytes', 'download'].flatMap(ids).toSorted())
})

test('a reply that is written twice is found in its own workspace, by an index that can be on several shards', async (t) => {
  const connection = await newDatabase(t)()
  const replies = connection.collection<{ _id: string }>('replies')
  await replies.createIndex(
    { derivedKey: 1 },
    { unique: true, partialFilterExpression: { derivedKey: { $exists: true } } },
  )
  for (let times = 0; times < 2; times += 1) for (const run of inboxMigrations) await run(connection)
  for (const name of ['replies', 'reply_proposals']) {
    const indexes = Object.keys(await connection.collection(name).indexInformation())
    t.deepEqual(indexes.toSorted(), ['_id_', 'workspaceId_1_derivedKey_1'], name)
  }
  const row = (_id: string) => ({ _id, workspaceId: 'wsp_1', derivedKey: 'per_1/same' })
  await replies.insertOne(row('rep_1'))
  await t.throwsAsync(replies.insertOne(row('rep_2')), { message: /duplicate key/ })
})

/** Connections to this test's own database, as replicas have them. */
function newDatabase(t: ExecutionContext<Stack>): () => Promise<Connection> {
  const uri = databaseUri(t.context.mongoUri, `migrations_${randomText(8)}`)
  return async () => {
    const connection = await connectMongo(uri, logger)
    t.teardown(() => connection.destroy())
    return connection
  }
}

function startSandbox(stack: Stack, mongodbUri: string): Promise<{ code: unknown; lines: string[] }> {
  const env = {
    PATH: readEnvironment().PATH,
    LOG_LEVEL: 'error',
    METRICS_PORT: '0',
    SERVICE_KEY: JSON.stringify({ ...stack.opsKey, service: 'sandbox' }),
    SERVICE_KEYS: JSON.stringify(stack.serviceKeys),
    MONGODB_URI: mongodbUri,
    NATS_URL: stack.natsUrl,
    CARE_CIRCLE_ADDRESS: '127.0.0.1:1',
    INBOX_ADDRESS: '127.0.0.1:1',
    NETWORK_KEY: newSecret('key'),
  }
  const main = join(REPOSITORY, 'services/sandbox/src/main.ts')
  return new Promise((resolve) => {
    execFile(process.execPath, [main], { env, timeout: 60_000 }, (error, _stdout, stderr) => {
      resolve({ code: error?.code, lines: stderr.trim().split('\n') })
    })
  })
}

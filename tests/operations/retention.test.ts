import { createSecretKey } from 'node:crypto'
import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { connectMongo, createIndexes } from '@family-inbox/service-kit/mongo/mongo'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import anyTest, { type TestFn } from 'ava'
import type { Document, Filter, MongoClient } from 'mongodb'
import { auditEntryModel } from '../../services/auth/src/models/audit-entry.ts'
import type { Context } from '../../services/inbox/src/context.ts'
import { deliveryModel } from '../../services/inbox/src/models/delivery.ts'
import { sendOnce } from '../../services/inbox/src/sending/send-once.ts'
import type { Transport } from '../../services/inbox/src/sending/transport.ts'
import { openDatabase } from '../_database.ts'
import { type Family, startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import { findOpened } from '../_sealed.ts'
import { signIn } from '../_visitor.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'

type Sink = Awaited<ReturnType<typeof startMailSink>>
type Row = Document & { _id: string }
const test = anyTest.serial as TestFn<{ f: Family; sink: Sink; mongo: MongoClient }>

const KEPT = {
  MAIL_KEPT_DAYS: '30',
  SENT_MAIL_KEPT_DAYS: '30',
  CALLS_KEPT_DAYS: '30',
  DEAD_LETTERS_KEPT_DAYS: '30',
}
const LONG_AGO = new Date(Date.now() - 40 * 86_400_000)

test.before(async (t) => {
  const sink = await startMailSink(({ to }) => (to.includes('gone@clinic.example') ? REFUSED : undefined))
  const f = await startFamily({ separate: ['inbox'], ownMongod: true, env: { SMTP_URL: sink.url, ...KEPT } })
  const mongo = await openDatabase(f.stack)
  // From the next round on, expired rows are deleted sooner than within 15 seconds.
  await mongo.db('admin').command({ setParameter: 1, ttlMonitorSleepSecs: 2 })
  t.context = { f, sink, mongo }
})
test.after.always(async (t) => {
  const { f, sink, mongo } = t.context
  await mongo?.close()
  await f?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

const REFUSED = { code: 550, text: 'nobody here' }

test('expired mail is deleted with everything that belongs to it, and newer mail stays', async (t) => {
  const { f, sink, mongo } = t.context
  const rows = mongo.db('inbox').collection<Row>('messages')
  const [old, young] = [await receive(f, mongo, 'Zebra'), await receive(f, mongo, 'Yak')]
  const owner = await signIn(f, sink, f.family.people.owner)
  t.is((await owner.get(pageOf(old))).status, 200)
  await owner.submit(`${pageOf(old)}/notes`, { note: 'A note about the zebra', key: 'z' })
  await owner.submit(`${pageOf(old)}/status`, { act: 'take' })
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  await owner.submit(`${pageOf(old)}/reminders`, { day })
  const answer = await reply(f, old, 'The answer to the zebra')
  await sink.waitFor(old.from)
  const unsent = await receive(f, mongo, 'Otter')
  const deliveries = mongo.db('inbox').collection<Row>('deliveries')
  const ids = [answer.json.result.structuredContent.replyId, await replyId(f, unsent)]
  await gone(async () => 2 - (await deliveries.countDocuments({ _id: { $in: ids }, state: 'sent' })))
  await deliveries.updateOne({ _id: ids[1] }, { $set: { state: 'queued' } })
  const pieces = mongo.db('inbox').collection<Row>('originals')
  const stored = await pieces.countDocuments()
  const texts = mongo.db('inbox').collection<Row>('attachment_texts')
  t.is(await texts.countDocuments({ _id: { $in: [old._id, young._id] } }), 2)
  await makeOld(mongo, old)
  await rows.updateOne({ _id: unsent._id }, { $set: { receivedAt: LONG_AGO } })

  await f.stack.restart('inbox')
  const original = { _id: { $regex: `/${old.originalHash}/` } }
  await gone(async () => (await rows.countDocuments({ _id: old._id })) + (await pieces.countDocuments(original)))
  t.is(await pieces.countDocuments(), stored - 1)
  for (const name of [
    'index_entries',
    'attachment_texts',
    'read_marks',
    'replies',
    'notes',
    'reminders',
    'conversation_statuses',
  ]) {
    const left = mongo.db('inbox').collection<Row>(name)
    t.is(await left.countDocuments({ $or: [{ _id: old._id }, { messageRowId: old._id }] }), 0, name)
  }
  t.is(await texts.countDocuments({ _id: young._id }), 1)
  t.is((await owner.get(pageOf(old))).status, 404)
  t.is((await owner.get(pageOf(unsent))).status, 200, 'its reply may still be sent')
  t.is((await owner.get(`${pageOf(old)}/files/0`)).status, 404)
  t.is((await owner.get(`${pageOf(young)}/files/0`)).status, 200)
  const download = (await owner.submit('/settings/your-data/download', {})).text
  t.true(download.includes('About Yak'))
  for (const word of ['About Zebra', 'The answer to the zebra', 'A note about the zebra'])
    t.false(download.includes(word))
  const again = await reply(f, old, 'The answer to the zebra')
  t.regex(again.json.result.content[0].text, /No message with this messageId/)
  t.is((await sink.waitFor(old.from)).length, 1)
})

test('a reply whose record expired shows as sent, a rejected one as failed, and neither is sent again', async (t) => {
  const { f, sink, mongo } = t.context
  const inbox = mongo.db('inbox')
  const message = await receive(f, mongo, 'Heron')
  const refused = await receive(f, mongo, 'Stork', 'gone@clinic.example')
  const ids = [await replyId(f, message), await replyId(f, refused)]
  const deliveries = inbox.collection<Row>('deliveries')
  const isDone = { _id: { $in: ids }, state: { $in: ['sent', 'failed'] } }
  await gone(async () => 2 - (await deliveries.countDocuments(isDone)))
  const past = { createdAt: LONG_AGO, mailQueuedAt: LONG_AGO }
  await inbox.collection<Row>('replies').updateMany({ _id: { $in: ids } }, { $set: past })
  await deliveries.updateMany({ _id: { $in: ids } }, { $set: { changedAt: LONG_AGO } })
  await gone(() => deliveries.countDocuments({ _id: ids[0] ?? '' }))
  t.is((await deliveries.findOne({ _id: ids[1] ?? '' }))?.state, 'failed')
  const owner = await signIn(f, sink, f.family.people.owner)
  t.regex((await owner.get(pageOf(message))).text, /Delivered to their mail server/)
  t.notRegex((await owner.get(pageOf(refused))).text, /Delivered to their mail server|Sending/)
  t.is((await reply(f, message, 'Thank you')).json.result.structuredContent.replyId, ids[0])
  t.is((await sink.waitFor(message.from)).length, 1)
})

test('a mail queued for longer than records are kept is not sent', async (t) => {
  const { f } = t.context
  const connection = await connectMongo(f.stack.databaseUri('inbox'), createLogger('test', 'error'))
  t.teardown(() => connection.destroy())
  const deliveries = deliveryModel(connection, 30)
  const transport = { send: () => t.fail('it is sent') } as unknown as Transport
  const config = { mailIdKey: createSecretKey(Buffer.alloc(32)), mailDomain: f.stack.mailDomain }
  const context = { config, deliveries, removedWorkspaces: { exists: () => null } } as unknown as Context
  const mail = { ...OutgoingMail.decode(new Uint8Array()), id: 'rep_from_long_ago' }
  t.deepEqual(await sendOnce(context, transport, mail, { seq: 1, queuedAt: LONG_AGO }), {})
  t.is((await deliveries.findById(mail.id).lean())?.state, 'unknown')
})

test('audit entries and dead letters are deleted when they expire', async (t) => {
  const { f, mongo } = t.context
  const { owner } = f.family.keys
  for (const tool of ['list_loved_ones', 'list_family_members']) await f.call(owner, tool)
  const entries = mongo.db('auth').collection('audit_entries')
  await entries.updateMany({ tool: 'list_loved_ones' }, { $set: { startedAt: LONG_AGO } })
  const dead = mongo.db('care_circle').collection<Row>('dead_letters')
  await dead.insertMany([
    { _id: 'evt_old', deadAt: LONG_AGO },
    { _id: 'evt_young', deadAt: new Date() },
    { _id: 'evt_alive', receivedAt: LONG_AGO },
  ])
  await gone(async () => (await entries.countDocuments({ tool: 'list_loved_ones' })) + (await dead.countDocuments(OLD)))
  t.true((await entries.countDocuments({ tool: 'list_family_members' })) > 0)
  t.is(await dead.countDocuments(), 2)
})

const OLD: Filter<Row> = { _id: 'evt_old' }

test('a changed number of days applies from the next start, even when replicas start together', async (t) => {
  const { stack } = t.context.f
  const uri = databaseUri(stack.mongoUri, 'retention')
  const start = async (days: number) => {
    const connection = await connectMongo(uri, createLogger('test', 'error'))
    t.teardown(() => connection.destroy())
    const entries = auditEntryModel(connection, days)
    await createIndexes(connection)
    const indexes = await entries.collection.indexes()
    return indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)?.expireAfterSeconds
  }
  t.is(await start(365), 365 * 86_400)
  t.deepEqual(await Promise.all([start(20_000), start(20_000), start(20_000)]), [20_000, 20_000, 20_000].map(toSeconds))
  t.is(await start(1), 86_400)
})

function toSeconds(days: number): number {
  return days * 86_400
}

type Received = Row & { messageId: string; from: string; lovedOneId: string; originalHash: string }

/** Delivers a mail large enough for chunks, and waits until search finds it. */
async function receive(f: Family, mongo: MongoClient, word: string, from = `${word}@clinic.example`.toLowerCase()) {
  const raw = multipartMail({ Subject: `About ${word}`, From: `Desk <${from}>` }, 'mixed', [
    text(`Dear ${word}`),
    attachment(`${word}.bin`, 'application/octet-stream', Buffer.alloc(100_000, word)),
    attachment('report.pdf', 'application/pdf', Buffer.from(pdfOf([`BT /F1 9 Tf 9 9 Td (Inside ${word}) Tj ET`]))),
  ])
  await openMailer(f.stack).deliver(f.family.lovedOnes[0]?.inboxAddress ?? '', raw)
  const isDone = { indexPending: null, attachmentTextPending: null }
  const row = await waitFor(
    async () => {
      const found = await findOpened<Row>(f.stack, mongo.db('inbox'), 'messages', isDone)
      return found.find(({ subject }) => subject === `About ${word}`)
    },
    { timeoutMs: 30_000, timeout: () => new Error(`${word} did not arrive`) },
  )
  return { ...row, messageId: row._id.split('/').at(-1) ?? '', from } as Received
}

function pageOf({ lovedOneId, messageId }: Received): string {
  return `/inbox/${lovedOneId}/${messageId}`
}

function reply(f: Family, { messageId }: Received, body: string) {
  const args = { messageId, body, idempotencyKey: `reply to ${messageId}` }
  return f.call(f.family.keys.owner, 'reply_to_inbox_message', args)
}

async function replyId(f: Family, message: Received): Promise<string> {
  return (await reply(f, message, 'Thank you')).json.result.structuredContent.replyId
}

/** Makes a mail look long arrived. */
async function makeOld(mongo: MongoClient, { _id, originalHash }: Received): Promise<void> {
  const inbox = mongo.db('inbox')
  const past = { $set: { receivedAt: LONG_AGO } }
  for (const name of ['messages', 'index_entries']) await inbox.collection<Row>(name).updateOne({ _id }, past)
  await inbox.collection('read_marks').updateMany({ messageRowId: _id }, past)
  await inbox.collection<Row>('originals').updateMany({ _id: { $regex: `/${originalHash}/` } }, past)
}

async function gone(count: () => Promise<number>): Promise<void> {
  const isGone = async () => (await count()) === 0 || undefined
  await waitFor(isGone, { timeoutMs: 100_000, timeout: () => new Error('still there') })
}

import type { BrowseMessagesRequest } from '@family-inbox/proto/inbox/v1/inbox'
import anyTest, { type TestFn } from 'ava'
import type { Message } from '../../services/inbox/src/models/message.ts'
import { openMailer } from '../_mailer.ts'
import { untilAnswered } from '../_outcome.ts'
import { lockedPdf, pdfOf, pdfThatEndsItsThread, pngOf } from '../_pdf-and-png.ts'
import { findOpened } from '../_sealed.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { until } from '../_wait.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { EVERYTHING, type Family, joinPostOffice, type PostOffice } from './_post-office.ts'

const test = anyTest as TestFn<PostOffice<SharedStack>>

test.before(async (t) => {
  t.context = await joinPostOffice()
})
test.after.always((t) => (t.context as Partial<PostOffice>)[Symbol.asyncDispose]?.())

const page = (...lines: string[]) =>
  lines.map((line, at) => `BT /F1 12 Tf 72 ${720 - 20 * at} Td (${line}) Tj ET`).join(' ')
const report = (content: string) => attachment('report.pdf', 'application/pdf', Buffer.from(pdfOf([content])))

type Part = ReturnType<typeof text>

async function deliver(
  { stack }: PostOffice<SharedStack>,
  { lovedOnes }: Family,
  parts: Part[],
  subject = 'Your results',
) {
  const headers = {
    From: 'Lab <lab@clinic.example>',
    Subject: subject,
    'Message-ID': `<${crypto.randomUUID()}@c>`,
  }
  await openMailer(stack).deliver(lovedOnes[0]?.address ?? '', multipartMail(headers, 'mixed', parts))
}

const found = async ({ inbox }: PostOffice<SharedStack>, { owner }: Family, wanted: Partial<BrowseMessagesRequest>) =>
  (await untilAnswered(() => inbox.browseMessages({ ...EVERYTHING, ...wanted }, { token: owner }))).entries.length

/** No file of the family waits to be read. */
const untilRead = ({ db }: PostOffice<SharedStack>, { workspaceId }: Family) =>
  until(async () => {
    const waiting = { workspaceId, $or: [{ indexPending: true }, { attachmentTextPending: true }] }
    return (await db.collection('messages').countDocuments(waiting)) === 0
  })

test('a letter is found by what its report says, and an assistant learns that it is in the attachment', async (t) => {
  const family = await t.context.family()
  await deliver(t.context, family, [text('The report is attached.'), report(page('Warfarin dose 5 mg', 'INR 2.6'))])
  await untilRead(t.context, family)
  t.is(await found(t.context, family, { search: 'warfarin' }), 1)
  t.is(await found(t.context, family, { search: '"INR 2.6"' }), 1)
  t.is(
    await found(t.context, family, { search: '"attached Warfarin"' }),
    0,
    'no phrase goes from a letter into its file',
  )
  const request = { lovedOneId: family.lovedOnes[0]?.id ?? '', pageSize: 5, pageToken: '', query: 'warfarin attached' }
  const { matches } = await t.context.inbox.listInboxMessages(request, { token: family.owner })
  t.deepEqual(
    matches[0]?.matches.map(({ field, words }) => [field, words]),
    [
      ['MESSAGE_FIELD_ATTACHMENT', ['warfarin']],
      ['MESSAGE_FIELD_BODY', ['attached']],
    ],
  )
})

test('another category, and a reply, leave the words of files where they are', async (t) => {
  const family = await t.context.family()
  await deliver(t.context, family, [text('See the file.'), report(page('Furosemide'))])
  await untilRead(t.context, family)
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  const [message] = await t.context.messages({ id: lovedOneId, token: family.owner } as never)
  const messageId = message?.id ?? ''
  const token = { token: family.owner }
  await t.context.inbox.changeCategory({ lovedOneId, messageId, category: 'CATEGORY_BILLING' }, token)
  const reply = { lovedOneId, messageId, body: 'Thank you', idempotencyKey: 'k' }
  await untilAnswered(() => t.context.inbox.replyToMessage(reply, token))
  await untilRead(t.context, family)
  t.is(await found(t.context, family, { search: 'furosemide' }), 1)
  t.is(await found(t.context, family, { from: ['ines'] }), 1, 'the member who replied')
})

test('hidden text, pictures, and files that are damaged or locked give no words and hold nobody up', async (t) => {
  const family = await t.context.family()
  const hidden = `${page('Visible')} BT 3 Tr /F1 12 Tf 72 600 Td (Zebrafish) Tj ET`
  const parts = [
    text('Files.'),
    report(hidden),
    attachment('broken.pdf', 'application/pdf', Buffer.from('%PDF-1.4\nendless')),
    attachment('locked.pdf', 'application/pdf', Buffer.from(lockedPdf())),
    attachment('photo.png', 'image/png', Buffer.from(pngOf(20, 20))),
    report(page('Lastpage')),
  ]
  await deliver(t.context, family, parts)
  await untilRead(t.context, family)
  t.is(await found(t.context, family, { search: 'zebrafish' }), 0)
  t.is(await found(t.context, family, { search: 'visible lastpage' }), 1)
})

test('what files say goes with their family', async (t) => {
  const family = await t.context.family()
  const other = await t.context.family()
  await deliver(t.context, family, [text('See the file.'), report(page('Metoprolol'))])
  await untilRead(t.context, family)
  t.is(await found(t.context, other, { search: 'metoprolol' }), 0)
  const rows = () => t.context.db.collection('attachment_texts').countDocuments({ workspaceId: family.workspaceId })
  t.is(await rows(), 1)
})

/** A mail with this word in a report, which was read. @returns the key of its row */
async function readMail(office: PostOffice<SharedStack>, family: Family, word: string, ...more: Part[]) {
  const subject = crypto.randomUUID()
  await deliver(office, family, [text('See the file.'), ...more, report(page(word))], subject)
  const read = async () => (await found(office, family, { search: word })) === 1
  await until(read)
  const { workspaceId } = family
  const [row] = await findOpened(office.stack, office.db, 'messages', { workspaceId }, (one) => one.subject === subject)
  return row?._id ?? ''
}

/** By hand, as an upgrade does it. Another mail then starts a round. */
async function readAgain(office: PostOffice<SharedStack>, family: Family, _id: string, $set: object = {}) {
  await office.db.collection<{ _id: string }>('attachment_texts').deleteOne({ _id })
  await messagesOf(office).updateOne(
    { _id },
    { $set: { attachmentTextPending: true, ...$set }, $unset: { attachmentTextNext: 1 } },
  )
  await readMail(office, family, `word${Math.random().toString(36).slice(2)}`)
}

const messagesOf = ({ db }: PostOffice<SharedStack>) => db.collection<Row>('messages')
type Row = { _id: string } & Pick<
  Message,
  'workspaceId' | 'subject' | 'size' | 'attachmentTextPending' | 'attachmentTextAttempts' | 'attachmentTextNext'
>

/** Of services/inbox/src/arriving/read-files.ts. */
const MAX_ATTEMPTS = 5

const hasTexts = async ({ db }: PostOffice<SharedStack>, _id: string) =>
  (await db.collection<{ _id: string }>('attachment_texts').countDocuments({ _id })) === 1

test('a file that ends its thread holds up no other file, and is given up after some attempts', async (t) => {
  const family = await t.context.family()
  const older = await readMail(t.context, family, 'Bisoprolol')
  const bomb = attachment('bomb.pdf', 'application/pdf', Buffer.from(pdfThatEndsItsThread()))
  const failing = await readMail(t.context, family, 'Amiodarone', bomb)
  const rowOf = async () => (await messagesOf(t.context).findOne({ _id: failing })) ?? t.fail('deleted')
  t.like(await rowOf(), { attachmentTextPending: true, attachmentTextAttempts: 1 })

  await readAgain(t.context, family, older)
  await until(() => hasTexts(t.context, older))
  t.like(await rowOf(), { attachmentTextPending: true, attachmentTextAttempts: 1 }, 'its time has not come')

  const pauses: number[] = []
  for (let attempt = 2; attempt <= 3; attempt += 1) {
    const before = Date.now()
    await readAgain(t.context, family, failing)
    await until(async () => (await rowOf()).attachmentTextAttempts === attempt && (await hasTexts(t.context, failing)))
    pauses.push(((await rowOf()).attachmentTextNext?.getTime() ?? 0) - before)
  }
  t.true((pauses[1] ?? 0) > 2 * (pauses[0] ?? 0), 'its attempts become rare')
  await readAgain(t.context, family, failing, { attachmentTextAttempts: MAX_ATTEMPTS })
  await until(async () => (await rowOf()).attachmentTextPending === undefined)
  t.is(await found(t.context, family, { search: 'amiodarone' }), 1)
})

test('a mail for which there is no memory now is read later, and the others of its family meanwhile', async (t) => {
  const family = await t.context.family()
  const large = await readMail(t.context, family, 'Ramipril')
  const { size } = (await messagesOf(t.context).findOne({ _id: large })) ?? t.fail('deleted')
  await readAgain(t.context, family, large, { size: 1e12 })
  const rowOf = () => messagesOf(t.context).findOne({ _id: large })
  await until(async () => (await rowOf())?.attachmentTextNext !== undefined)
  await readMail(t.context, family, 'Apixaban')
  t.like(await rowOf(), { attachmentTextPending: true, attachmentTextAttempts: undefined })
  await readAgain(t.context, family, large, { size })
  await until(() => hasTexts(t.context, large))
})

test('a family with very many files to read does not hold up another', async (t) => {
  const many = 1500
  const [busy, other] = [await t.context.family(), await t.context.family()]
  const { workspaceId } = busy
  const receivedAt = new Date(Date.now() + 3_600_000)
  const rows = Array.from({ length: many }, (_, at) => ({
    _id: `${workspaceId}/${busy.lovedOnes[0]?.id}/msg_${at}`,
    ...{ workspaceId, lovedOneId: busy.lovedOnes[0]?.id, receivedAt, attachmentTextPending: true as const },
    ...{ subject: 'Earlier', text: '', size: 1, original: Buffer.from('x'), from: { name: '', address: '' } },
    attachments: [{ index: 0, filename: 'a.pdf', contentType: 'application/pdf', size: 1, sha256: '' }],
  }))
  await messagesOf(t.context).insertMany(rows)
  await readMail(t.context, other, 'Levothyroxine')
  const waiting = await messagesOf(t.context).countDocuments({ workspaceId, attachmentTextPending: true })
  t.true(waiting > 1000, `${waiting} of the busy family wait, newer than the mail that was read`)
  await messagesOf(t.context).deleteMany({ workspaceId })
})

import type { BrowseMessagesRequest } from '@family-inbox/proto/inbox/v1/inbox'
import anyTest, { type TestFn } from 'ava'
import { openMailer } from '../_mailer.ts'
import { pdfOf, pngOf } from '../_pdf-and-png.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { until } from '../_wait.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { EVERYTHING, type Family, joinPostOffice, type PostOffice, patiently } from './_post-office.ts'

const test = anyTest as TestFn<PostOffice<SharedStack>>

test.before(async (t) => {
  t.context = await joinPostOffice()
})
test.after.always((t) => (t.context as Partial<PostOffice>)[Symbol.asyncDispose]?.())

const page = (...lines: string[]) =>
  lines.map((line, at) => `BT /F1 12 Tf 72 ${720 - 20 * at} Td (${line}) Tj ET`).join(' ')
const report = (content: string) => attachment('report.pdf', 'application/pdf', Buffer.from(pdfOf([content])))

async function deliver({ stack }: PostOffice<SharedStack>, { lovedOnes }: Family, parts: ReturnType<typeof text>[]) {
  const headers = {
    From: 'Lab <lab@clinic.example>',
    Subject: 'Your results',
    'Message-ID': `<${crypto.randomUUID()}@c>`,
  }
  await openMailer(stack).deliver(lovedOnes[0]?.address ?? '', multipartMail(headers, 'mixed', parts))
}

const found = async ({ inbox }: PostOffice<SharedStack>, { owner }: Family, wanted: Partial<BrowseMessagesRequest>) =>
  (await patiently(() => inbox.browseMessages({ ...EVERYTHING, ...wanted }, { token: owner }))).entries.length

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
  await patiently(() => t.context.inbox.replyToMessage(reply, token))
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

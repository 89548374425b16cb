import {
  type BrowseMessagesRequest,
  type BrowseMessagesResponse,
  Category,
  DeliveryState,
} from '@family-inbox/proto/inbox/v1/inbox'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import type { Delivery } from '../../services/inbox/src/models/delivery.ts'
import { UNJOINED } from '../_checked.ts'
import { untilAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { readUntil, until } from '../_wait.ts'
import { EVERYTHING, type Family, joinPostOffice, type LovedOne, type PostOffice } from './_post-office.ts'
import { deliver } from './_smtp-client.ts'

/** Messages are sent, and indexed, shortly after they came. */
const SOON_MS = 20_000

let office: PostOffice<SharedStack>
let strangers: Family

test.before(async () => {
  office = await joinPostOffice()
  strangers = await office.family(1)
  await send(strangers.lovedOnes[0], {
    subject: 'Their zebra appointment',
    text: 'zebra',
    messageId: '<shared@x.example>',
  })
  await until(() => indexed(strangers.lovedOnes[0]), SOON_MS)
})
test.after.always(() => office?.[Symbol.asyncDispose]())

type Mail = { subject: string; text?: string; messageId?: string; headers?: string[]; html?: string; files?: string[] }

async function send(lovedOne: LovedOne | undefined, mail: Mail): Promise<void> {
  const { subject, text = 'Good day', messageId = `<${randomText(12)}@clinic.example>`, headers = [] } = mail
  const parts = [
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`,
    ...(mail.html ? [`Content-Type: text/html; charset=utf-8\r\n\r\n${mail.html}`] : []),
    ...(mail.files ?? []),
  ]
  const raw = [
    'From: Desk <desk@clinic.example>',
    `Subject: ${subject}`,
    `Message-ID: ${messageId}`,
    ...headers,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...parts.map((part) => `--b\r\n${part}`),
    '--b--',
    '',
  ].join('\r\n')
  const answer = await deliver(office.stack.smtpPort, lovedOne?.address ?? '', raw)
  if (!answer.startsWith('250')) throw new Error(answer)
}

const browse = (token: string, wanted: Partial<BrowseMessagesRequest> = {}) =>
  untilAnswered(() => office.inbox.browseMessages({ ...EVERYTHING, ...wanted }, { token }))
const subjectsOf = ({ entries }: BrowseMessagesResponse) => entries.map(({ message }) => message?.subject ?? '')
const open = (token: string, lovedOneId: string, messageId: string, markRead = false) =>
  untilAnswered(() => office.inbox.openMessage({ lovedOneId, messageId, markRead }, { token }))

async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    const { status, message, detail } = error as StatusError
    return { status, message, detail }
  }
}

const indexed = async (lovedOne: LovedOne | undefined) =>
  (await office.db.collection('messages').countDocuments({ lovedOneId: lovedOne?.id, ...UNJOINED })) === 0

async function newFamily(mails: Mail[], lovedOnes = 1): Promise<Family & { ids: string[]; lovedOne: LovedOne }> {
  const family = await office.family(lovedOnes)
  const [lovedOne] = family.lovedOnes as [LovedOne]
  for (const mail of mails) await send(lovedOne, mail)
  await until(() => indexed(lovedOne), SOON_MS)
  const { entries } = await browse(family.owner)
  return { ...family, lovedOne, ids: entries.map(({ message }) => message?.id ?? '') }
}

test('everyone’s mail is in one paged list, newest first, without duplicates', async (t) => {
  const family = await newFamily([], 2)
  for (let index = 0; index < 6; index += 1) await send(family.lovedOnes[index % 2], { subject: `Mail ${index}` })
  const seen: string[] = []
  let pageToken = ''
  do {
    const page = await browse(family.owner, { pageSize: 4, pageToken })
    seen.push(...subjectsOf(page))
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  t.deepEqual(seen, ['Mail 5', 'Mail 4', 'Mail 3', 'Mail 2', 'Mail 1', 'Mail 0'])
  const one = await browse(family.owner, { lovedOneId: family.lovedOnes[1]?.id ?? '' })
  t.deepEqual(subjectsOf(one), ['Mail 5', 'Mail 3', 'Mail 1'])
})

test('a message is found by its subject, sender, attachment and text, and never from another workspace', async (t) => {
  const file =
    'Content-Type: application/pdf; name=Blutbild.pdf\r\nContent-Disposition: attachment; filename=Blutbild.pdf\r\n\r\n%PDF'
  const family = await newFamily([
    { subject: 'Your zebra appointment', text: 'With Dr. Émile Zola on Tuesday' },
    { subject: 'Invoice', text: 'Please pay for the zebra', files: [file] },
    { subject: 'Nothing', text: 'of note' },
  ])
  const found = async (search: string) => subjectsOf(await browse(family.owner, { search }))
  t.deepEqual(await found('zebra'), ['Invoice', 'Your zebra appointment'])
  t.deepEqual(await found('ZEB appoint'), ['Your zebra appointment'])
  t.deepEqual(await found('emile'), ['Your zebra appointment'])
  t.deepEqual(await found('blutbild'), ['Invoice'])
  t.is((await found('desk@clinic.example')).length, 3)
  t.deepEqual(await found('their'), [])
  t.deepEqual(
    await found('.*'),
    ['Nothing', 'Invoice', 'Your zebra appointment'],
    'a query without words matches everything',
  )
  t.like(await outcome(browse(family.owner, { search: 'x'.repeat(201) })), { detail: { field: 'search' } })
  t.deepEqual(subjectsOf(await browse(family.owner, { withAttachments: true })), ['Invoice'])
  t.deepEqual(subjectsOf(await browse(family.owner, { category: Category.BILLING })), ['Invoice'])
  t.deepEqual(subjectsOf(await browse(family.owner, { receivedFrom: new Date(Date.now() + 60_000) })), [])
  const before = new Date(Date.now() + 60_000)
  t.is((await browse(family.owner, { receivedBefore: before, search: 'zebra', unread: true })).entries.length, 2)
})

test('a changed category applies to everyone and to search; a viewer cannot change it', async (t) => {
  const { owner, viewer, lovedOne, ids } = await newFamily([{ subject: 'Invoice' }])
  const change = (token: string, category: Category) =>
    office.inbox.changeCategory({ lovedOneId: lovedOne.id, messageId: ids[0] ?? '', category }, { token })
  t.like(await outcome(change(viewer, Category.RESULTS)), { status: 'PERMISSION_DENIED' })
  t.like(await outcome(change(owner, Category.UNSPECIFIED)), { detail: { field: 'category' } })
  await change(owner, Category.RESULTS)
  t.deepEqual(subjectsOf(await browse(viewer, { category: Category.RESULTS })), ['Invoice'])
  t.deepEqual(subjectsOf(await browse(viewer, { category: Category.BILLING })), [])
})

test('each person has their own read state, the family sees who opened a message, and it can be marked unread', async (t) => {
  const { owner, viewer, lovedOne, ids } = await newFamily([{ subject: 'One' }, { subject: 'Two' }])
  const [newest = ''] = ids
  await open(owner, lovedOne.id, newest, true)
  const unread = async (token: string) => subjectsOf(await browse(token, { unread: true }))
  t.deepEqual(await unread(owner), ['One'])
  t.deepEqual(await unread(viewer), ['Two', 'One'])
  t.deepEqual((await browse(owner)).unread, [{ lovedOneId: lovedOne.id, count: 1 }])
  t.is((await open(viewer, lovedOne.id, newest)).readBy.length, 1)
  t.is((await open(owner, lovedOne.id, newest)).readBy.length, 0, 'your own view is not listed')
  await office.inbox.markMessage({ lovedOneId: lovedOne.id, messageId: newest, read: false }, { token: owner })
  t.deepEqual(await unread(owner), ['Two', 'One'])
  await office.inbox.markAllRead({ lovedOneId: '', seenUntil: new Date() }, { token: owner })
  t.deepEqual(await unread(owner), [])
  await send(lovedOne, { subject: 'Three' })
  t.deepEqual(await unread(owner), ['Three'])
  t.deepEqual(await unread(viewer), ['Three', 'Two', 'One'])
})

test('the list beside a message shows it as read, and is of its loved one or of all, never of another', async (t) => {
  const { owner, lovedOne, lovedOnes, ids } = await newFamily([{ subject: 'One' }, { subject: 'Two' }], 2)
  const [messageId = ''] = ids
  const beside = (lovedOneId: string) => {
    const list = { ...EVERYTHING, lovedOneId }
    return office.inbox.openMessage({ lovedOneId: lovedOne.id, messageId, markRead: true, list }, { token: owner })
  }
  for (const lovedOneId of ['', lovedOne.id]) {
    const { list } = await untilAnswered(() => beside(lovedOneId))
    t.deepEqual({ ...list, asOf: undefined }, { ...(await browse(owner, { lovedOneId })), asOf: undefined })
    t.deepEqual(
      list?.entries.map(({ unread }) => unread),
      [false, true],
    )
  }
  for (const other of [lovedOnes[1]?.id ?? '', strangers.lovedOnes[0]?.id ?? '', newId('lo')])
    t.like(await outcome(beside(other)), { status: 'NOT_FOUND' })
})

test('read and unread stay correct after hundreds of messages were opened one by one', async (t) => {
  const { owner, lovedOne } = await newFamily([{ subject: 'Sample' }])
  const messages = office.db.collection<{ _id: string }>('messages')
  const sample = await messages.findOne({ lovedOneId: lovedOne.id } as never)
  const at = (index: number) => new Date(Date.now() - 3_600_000 + index * 1000)
  const prefix = String(sample?._id).replace(/[^/]+$/, '')
  const rows = Array.from({ length: 900 }, (_, index) => ({
    ...sample,
    _id: `${prefix}msg_${index}`,
    conversationId: `msg_${index}`,
    subject: `Mail ${index}`,
    receivedAt: at(index),
  }))
  await messages.insertMany(rows as never[])
  const isKept = (index: number) => index % 100 === 7
  for (let from = 0; from < 900; from += 30)
    await Promise.all(
      rows.slice(from, from + 30).flatMap(({ _id }, offset) => {
        if (isKept(from + offset)) return []
        const messageId = _id.slice(prefix.length)
        return untilAnswered(() =>
          office.inbox.markMessage({ lovedOneId: lovedOne.id, messageId, read: true }, { token: owner }),
        )
      }),
    )
  const page = await browse(owner, { unread: true, pageSize: 100 })
  const kept = [7, 107, 207, 307, 407, 507, 607, 707, 807].map((index) => `Mail ${index}`).reverse()
  t.deepEqual(subjectsOf(page), ['Sample', ...kept])
  t.deepEqual(page.unread, [{ lovedOneId: lovedOne.id, count: 10 }])
  const marks = await office.db.collection('read_watermarks').findOne({ _id: { $regex: lovedOne.id } } as never)
  t.true((marks?.receivedAt as Date) > at(100), 'the watermark has advanced')
})

test('a message shows its conversation and the delivery state of its replies', async (t) => {
  const family = await newFamily([
    { subject: 'Question', messageId: '<q@clinic.example>' },
    { subject: 'Re: Question', headers: ['In-Reply-To: <q@clinic.example>', 'References: <q@clinic.example>'] },
    { subject: 'Other' },
  ])
  const { owner, viewer, lovedOne, ids } = family
  const [, answer = ''] = ids
  const question = (await open(owner, lovedOne.id, answer)).others[0]?.message?.id ?? ''
  const opened = await open(owner, lovedOne.id, question)
  t.deepEqual(
    opened.others.map(({ message }) => message?.subject),
    ['Re: Question'],
  )
  t.is(opened.replyTo, 'desk@clinic.example')
  const reply = { messageId: question, lovedOneId: lovedOne.id, body: 'Thank you', idempotencyKey: 'form-1' }
  await untilAnswered(() => office.inbox.replyToMessage(reply, { token: owner }))
  await untilAnswered(() => office.inbox.replyToMessage(reply, { token: owner }))
  const sent = await readUntil(
    () => open(viewer, lovedOne.id, question),
    ({ replies }) => replies[0]?.delivery === DeliveryState.SENT,
    SOON_MS,
  )
  t.is(sent.replies.length, 1)
  t.like(sent.replies[0], { body: 'Thank you', to: 'desk@clinic.example', name: 'Ines Santos', messageId: question })
  t.is((await open(viewer, lovedOne.id, answer)).replies.length, 1, 'the whole conversation shows the reply')
  t.true((await browse(owner)).entries[1]?.replied)
})

test('an answer that names only our reply is in the conversation of the message we replied to', async (t) => {
  const { owner, lovedOne, ids } = await newFamily([{ subject: 'Question', messageId: '<q2@clinic.example>' }])
  const question = ids[0] ?? ''
  const request = { messageId: question, lovedOneId: lovedOne.id, body: 'At ten?', idempotencyKey: 'form-1' }
  const { replyId } = await untilAnswered(() => office.inbox.replyToMessage(request, { token: owner }))
  const sent = () => office.db.collection<Delivery>('deliveries').findOne({ _id: replyId })
  const ours = (await readUntil(sent, (row) => row !== null, SOON_MS))?.messageIdHeader
  await send(lovedOne, {
    subject: 'Re: Question',
    messageId: '<a2@clinic.example>',
    headers: [`In-Reply-To: ${ours}`, `References: ${ours}`],
  })
  await until(() => indexed(lovedOne), SOON_MS)
  const answer = await readUntil(
    async () => (await browse(owner)).entries.find(({ message }) => message?.subject === 'Re: Question')?.message?.id,
    Boolean,
    SOON_MS,
  )
  const opened = await readUntil(
    () => open(owner, lovedOne.id, answer ?? ''),
    ({ others }) => others.length > 0,
    SOON_MS,
  )
  t.deepEqual(
    opened.others.map(({ message }) => message?.id),
    [question],
  )
  t.is(opened.replies[0]?.body, 'At ten?')
  t.is((await open(owner, lovedOne.id, question)).others[0]?.message?.id, answer)
})

test('times, numbers and phrases are found as written', async (t) => {
  const { owner } = await newFamily([
    { subject: 'Visit A', text: 'From 14:00-14:30 in room 10, take 50 mg' },
    { subject: 'Visit B', text: 'Be here at 10:30 and take 5 mg' },
  ])
  const found = async (search: string) => subjectsOf(await browse(owner, { search }))
  t.deepEqual(await found('10:30'), ['Visit B'])
  t.deepEqual(await found('5 mg'), ['Visit B'])
  t.deepEqual(await found('"in room"'), ['Visit A'])
  t.deepEqual(await found('"room in"'), [])
})

test('mail is found by its sender, together with words, files and days', async (t) => {
  const file =
    'Content-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\n%PDF'
  const { owner } = await newFamily([
    { subject: 'Results', text: 'Ask Osei about them', files: [file] },
    { subject: 'Zebra', text: 'Results' },
  ])
  const found = async (wanted: Partial<BrowseMessagesRequest>) => subjectsOf(await browse(owner, wanted))
  t.deepEqual(await found({ from: ['desk'] }), ['Zebra', 'Results'])
  t.deepEqual(await found({ from: ['desk@clinic.example', 'De'], search: 'osei', withAttachments: true }), ['Results'])
  t.deepEqual(await found({ from: ['osei'] }), [], 'named in the text only')
  t.deepEqual(await found({ from: ['desk'], receivedBefore: new Date(Date.now() - 86_400_000) }), [])
  t.deepEqual(await found({ from: ['.*', '(a+)+$'] }), [], 'nothing that is written is a pattern')
  t.like(await outcome(browse(owner, { from: ['a', 'b', 'c', 'd', 'e'] })), { detail: { field: 'from' } })
  t.like(await outcome(browse(owner, { from: ['x'.repeat(201)] })), { detail: { field: 'from' } })
})

test('a message’s markup is shown without scripts or remote content; a plain message has none', async (t) => {
  const html = '<p>Dear <b>Rosa</b></p><script>alert(1)</script><img src="https://evil.example/pixel">'
  const { viewer, lovedOne, ids } = await newFamily([{ subject: 'Plain' }, { subject: 'Rich', html }])
  const render = (messageId = '') =>
    untilAnswered(() => office.inbox.renderMessage({ lovedOneId: lovedOne.id, messageId }, { token: viewer }))
  t.true((await open(viewer, lovedOne.id, ids[0] ?? '')).hasMarkup)
  t.false((await open(viewer, lovedOne.id, ids[1] ?? '')).hasMarkup)
  const rendered = await render(ids[0])
  t.true(rendered.html.includes('<p>Dear <b>Rosa</b></p>'))
  t.notRegex(rendered.html, /script|evil/)
  t.true(rendered.remoteContentRemoved)
  t.deepEqual(await render(ids[1]), { html: '', remoteContentRemoved: false })
})

test('an attachment downloads byte for byte, even a large one', async (t) => {
  const large = 'A'.repeat(2_000_000)
  const file = (name: string, content: string) =>
    `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=${name}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')}`
  const { viewer, lovedOne, ids } = await newFamily([
    { subject: 'Files', files: [file('a.bin', 'first'), file('b.bin', large)] },
  ])
  const download = async (index: number) => {
    const chunks: Uint8Array[] = []
    let attachment: unknown
    const request = { lovedOneId: lovedOne.id, messageId: ids[0] ?? '', index }
    for await (const piece of office.inbox.downloadAttachment(request, { token: viewer })) {
      attachment ??= piece.attachment
      chunks.push(piece.chunk)
    }
    return { attachment, text: Buffer.concat(chunks).toString() }
  }
  t.like(await download(0), { attachment: { filename: 'a.bin', size: 5 }, text: 'first' })
  t.is((await download(1)).text, large)
  for (const index of [2, -1, 2_147_483_647]) t.like(await outcome(download(index)), { status: 'NOT_FOUND' })
})

test('a watcher is notified of mail in their own workspace only', async (t) => {
  const { viewer, lovedOne } = await newFamily([])
  const heard: string[] = []
  const watching = (async () => {
    for await (const { lovedOneId } of office.inbox.watchMessages({}, { token: viewer })) {
      heard.push(lovedOneId)
      if (lovedOneId !== '') return
    }
  })()
  await until(async () => heard.length > 0, SOON_MS)
  await send(strangers.lovedOnes[0], { subject: 'Theirs' })
  await send(lovedOne, { subject: 'Ours' })
  await watching
  t.is(heard.at(-1), lovedOne.id)
})

test('a watcher learns whether the list they have is up to date', async (t) => {
  const { viewer, lovedOne } = await newFamily([{ subject: 'Before' }])
  const isUpToDate = (since: string | undefined) => isUnchanged(office, viewer, since)
  // What was found out about the first letter is announced, too.
  await until(async () => (await isUpToDate((await browse(viewer)).asOf)) === true, SOON_MS)
  const { asOf } = await browse(viewer)
  await send(strangers.lovedOnes[0], { subject: 'Theirs' })
  t.true(await isUpToDate(asOf))
  for (const unknown of [undefined, '', `another ${asOf}`, 'x'.repeat(10_000)])
    t.false(await isUpToDate(unknown), unknown)
  await send(lovedOne, { subject: 'Ours' })
  await until(async () => (await isUpToDate(asOf)) === false, SOON_MS)
  await until(async () => (await isUpToDate((await browse(viewer)).asOf)) === true, SOON_MS)
})

test('a list from before NATS was away does not count as up to date', async (t) => {
  await using mortal = await joinPostOffice('mortal')
  const { viewer } = await mortal.family(1)
  const read = async () => (await untilAnswered(() => mortal.inbox.browseMessages(EVERYTHING, { token: viewer }))).asOf
  const untilHeard = () => until(async () => (await isUnchanged(mortal, viewer, await read())) === true)
  await untilHeard()
  const before = await read()
  t.true(await isUnchanged(mortal, viewer, before))
  mortal.stack.kill('nats-server')
  await until(async () => (await isUnchanged(mortal, viewer, before)) === false, SOON_MS)
  await untilHeard()
})

/** What a watcher first hears about a list; undefined while they hear nothing. */
async function isUnchanged({ inbox }: PostOffice<SharedStack>, token: string, since: string | undefined) {
  try {
    for await (const { unchanged } of inbox.watchMessages({ since }, { token })) return unchanged
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
  }
}

test('the forwarding guide shows the provider’s code, and then the test mail', async (t) => {
  const { owner, viewer, lovedOne } = await newFamily([])
  const look = () => untilAnswered(() => office.inbox.getForwarding({ lovedOneId: lovedOne.id }, { token: viewer }))
  t.like(await look(), { address: lovedOne.address, confirmation: undefined, testMail: undefined, hasMail: false })
  const raw = [
    'From: Gmail Team <forwarding-noreply@google.com>',
    'Subject: (#987654321) Gmail Forwarding Confirmation - Receive Mail from ana@gmail.com',
    'Message-ID: <gmail@google.com>',
    '',
    'Confirmation code: 987654321',
  ].join('\r\n')
  await deliver(office.stack.smtpPort, lovedOne.address, raw)
  t.like(await look(), { confirmation: { provider: 'gmail', code: '987654321' }, hasMail: false })
  const request = { lovedOneId: lovedOne.id, idempotencyKey: 'form-1' }
  t.like(await outcome(office.inbox.sendTestMail(request, { token: viewer })), { status: 'PERMISSION_DENIED' })
  const [first, second] = await Promise.all(
    [1, 2].map(() => untilAnswered(() => office.inbox.sendTestMail(request, { token: owner }))),
  )
  t.is(first?.testMail?.id, second?.testMail?.id)
  const sent = await readUntil(look, ({ testMail }) => testMail?.delivery === DeliveryState.SENT, SOON_MS)
  t.is(sent.testMail?.arrivedAt, undefined, 'test mail goes nowhere here, so it has not arrived')
  const mail = await office.db.collection('test_mails').findOne({ lovedOneId: lovedOne.id })
  await send(lovedOne, { subject: 'This inbox works', messageId: mail?.messageIdHeader })
  t.truthy((await look()).testMail?.arrivedAt)
  t.false((await look()).hasMail)
  await send(lovedOne, { subject: 'Real mail' })
  t.true((await look()).hasMail)
})

test('every call treats another workspace’s ids exactly like unknown ids', async (t) => {
  const { owner, lovedOne, ids } = await newFamily([{ subject: 'Ours' }])
  const foreign = strangers.lovedOnes[0]?.id ?? ''
  const theirs = (await browse(strangers.owner)).entries[0]?.message?.id ?? ''
  const { inbox } = office
  const drain = async (stream: AsyncIterable<unknown>) => {
    for await (const _ of stream);
  }
  const calls: [string, (lovedOneId: string, messageId: string) => Promise<unknown>][] = [
    ['open', (lovedOneId, messageId) => open(owner, lovedOneId, messageId, true)],
    ['render', (lovedOneId, messageId) => inbox.renderMessage({ lovedOneId, messageId }, { token: owner })],
    ['mark', (lovedOneId, messageId) => inbox.markMessage({ lovedOneId, messageId, read: true }, { token: owner })],
    [
      'file',
      (lovedOneId, messageId) =>
        inbox.changeCategory({ lovedOneId, messageId, category: Category.OTHER }, { token: owner }),
    ],
    [
      'download',
      (lovedOneId, messageId) => drain(inbox.downloadAttachment({ lovedOneId, messageId, index: 0 }, { token: owner })),
    ],
    [
      'draft',
      (lovedOneId, messageId) =>
        inbox.saveDraft({ lovedOneId, messageId, body: 'x', idempotencyKey: '' }, { token: owner }),
    ],
    [
      'reply',
      (lovedOneId, messageId) =>
        inbox.replyToMessage({ lovedOneId, messageId, body: 'x', idempotencyKey: '' }, { token: owner }),
    ],
  ]
  for (const [name, call] of calls) {
    const lovedOnes = await Promise.all([foreign, newId('lo'), '../x'].map((id) => outcome(call(id, ids[0] ?? ''))))
    for (const answer of lovedOnes) t.deepEqual(answer, lovedOnes[0], name)
    t.like(lovedOnes[0], { status: 'NOT_FOUND', detail: { field: 'lovedOneId' } }, name)
    const messages = await Promise.all([theirs, newId('msg'), '../x', ''].map((id) => outcome(call(lovedOne.id, id))))
    for (const answer of messages) t.deepEqual(answer, messages[0], name)
    t.like(messages[0], { status: 'NOT_FOUND', detail: { field: 'messageId' } }, name)
  }
  const about: [string, (lovedOneId: string) => Promise<unknown>][] = [
    ['browse', (lovedOneId) => browse(owner, { lovedOneId })],
    ['mark all', (lovedOneId) => inbox.markAllRead({ lovedOneId, seenUntil: new Date() }, { token: owner })],
    ['forwarding', (lovedOneId) => inbox.getForwarding({ lovedOneId }, { token: owner })],
    ['test mail', (lovedOneId) => inbox.sendTestMail({ lovedOneId, idempotencyKey: 'x' }, { token: owner })],
  ]
  for (const [name, call] of about) {
    const answers = await Promise.all([foreign, newId('lo'), '../x'].map((id) => outcome(call(id))))
    for (const answer of answers) t.deepEqual(answer, answers[0], name)
    t.like(answers[0], { status: 'NOT_FOUND', detail: { field: 'lovedOneId' } }, name)
  }
  t.false(subjectsOf(await browse(owner, { search: 'zebra' })).length > 0)
  const shared = await newFamily([{ subject: 'Same id', messageId: '<shared@x.example>' }])
  t.deepEqual((await open(shared.owner, shared.lovedOne.id, shared.ids[0] ?? '')).others, [])
})

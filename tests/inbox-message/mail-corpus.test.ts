import test, { type ExecutionContext } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { type Mailer, onTheWire, openMailer } from '../_mailer.ts'
import { untilToolAnswered } from '../_outcome.ts'
import { foundWorkspace, type LovedOne, type Workspace } from '../_workspace.ts'
import { base64, mail } from '../mail-corpus/build-mail.ts'
import { type MailCase, mailCorpus, rawMail } from '../mail-corpus.ts'

const MAX_PREVIEW = 280
const MAX_BODY = 8000

/** Controls, bidi overrides, hidden characters and lone surrogates. */
const UNFIT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in a result
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
/** Markup, script, and the first bytes of every attachment, raw and encoded. */
const NEVER_SHOWN =
  /<(script|style|html|table|blockquote|img|div)\b|javascript:|%PDF-|JVBERi|iVBORw|scanscan|c2NhbnNjYW/i

let world: Guest
let workspace: Workspace
let mailer: Mailer
let key: string
let maxMailBytes: number
/** One loved one per mail of the corpus. */
const inboxes = new Map<string, LovedOne>()
/** More loved ones, created while the workspace's token is fresh. */
const spare: LovedOne[] = []
const CLUSTERS = ['👩‍👩‍👧‍👦', '🇵🇹', 'e\u0301\u0301', 'क्षि', '👍🏽']

test.before(async () => {
  world = await joinFamily()
  mailer = openMailer(world.stack)
  maxMailBytes = await mailer.maxBytes()
  workspace = await foundWorkspace(world.stack)
  key = (await workspace.viewer.mintKey()).secret
  for (const { name } of mailCorpus) inboxes.set(name, await workspace.addLovedOne())
  while (spare.length < CLUSTERS.length + 2) spare.push(await workspace.addLovedOne())
})
test.after.always(async () => {
  workspace?.[Symbol.dispose]()
  await world?.[Symbol.asyncDispose]()
})

for (const mailCase of mailCorpus) {
  // Generated mail is large: serial, so that it does not compete for memory.
  const inTurn = typeof mailCase.raw === 'function' ? test.serial : test
  inTurn(`a mail sent over SMTP is shown correctly: ${mailCase.name}`, async (t) => {
    t.true(maxMailBytes >= 25_000_000)
    const lovedOne = inboxes.get(mailCase.name) as LovedOne
    const raw = rawMail(mailCase)
    if (onTheWire(raw).length > maxMailBytes) return t.is(await mailer.offer(lovedOne.inboxAddress, raw), 552)
    await mailer.deliver(lovedOne.inboxAddress, raw)
    const { summary, message, answers } = await readOnly(t, lovedOne)
    compare(t, message, mailCase.expect)
    t.is(summary.subject, message.subject)
    t.is(summary.attachmentCount, message.attachments.length)
    t.true(summary.preview.length <= MAX_PREVIEW && !/[\n\t]/.test(summary.preview))
    t.true(message.body.length <= MAX_BODY)
    t.false('preview' in message || 'html' in message)
    for (const text of [summary.preview, message.body, message.subject, message.sender]) t.notRegex(text, UNFIT)
    t.notRegex(answers, NEVER_SHOWN)
  })
}

test('a mail that is delivered twice is in the inbox once', async (t) => {
  const lovedOne = spare.pop() as LovedOne
  const twice = mail({ Subject: 'Twice' }, 'The same mail.')
  await mailer.deliver(lovedOne.inboxAddress, twice)
  const otherRoute = Buffer.concat([Buffer.from('Received: from another.example by mx.example; Tue\r\n'), twice])
  await Promise.all([twice, otherRoute, twice].map((raw) => mailer.deliver(lovedOne.inboxAddress, raw)))
  const withoutId = mail({ 'Message-ID': null, Subject: 'No id' }, 'The same mail.')
  await Promise.all([withoutId, withoutId].map((raw) => mailer.deliver(lovedOne.inboxAddress, raw)))
  const { messages } = await list(lovedOne)
  t.deepEqual(messages.map(({ subject }) => subject).sort(), ['No id', 'Twice'])
})

test('a different mail with the same Message-ID is not a duplicate', async (t) => {
  const lovedOne = spare.pop() as LovedOne
  for (const body of ['Take one tablet.', 'Take two tablets.'])
    await mailer.deliver(lovedOne.inboxAddress, mail({ 'Message-ID': '<reused@clinic.example>' }, body))
  t.is((await list(lovedOne)).messages.length, 2)
})

test('previews and bodies are never cut inside a visible character', async (t) => {
  for (const cluster of CLUSTERS) {
    const lovedOne = spare.pop() as LovedOne
    const offsets = Array.from({ length: cluster.length + 1 }, (_, index) => index)
    await Promise.all(offsets.map((offset) => mailer.deliver(lovedOne.inboxAddress, atBothCuts(cluster, offset))))
    const { messages } = await list(lovedOne, 50)
    t.is(messages.length, offsets.length)
    for (const { preview, id } of messages) {
      const { body } = await read(lovedOne, id)
      t.true(preview.length > MAX_PREVIEW - cluster.length && preview.length <= MAX_PREVIEW)
      t.true(body.length > MAX_BODY - cluster.length && body.length <= MAX_BODY)
      for (const text of [preview, body]) t.true(isWhole(text, cluster), `splits ${cluster}`)
    }
  }
})

/** Puts clusters across the cut of the preview and the cut of the body. */
function atBothCuts(cluster: string, offset: number): Buffer {
  const clusters = cluster.repeat(3)
  const untilPreviewCut = 'a'.repeat(MAX_PREVIEW - offset) + clusters
  const untilBodyCut = 'a'.repeat(MAX_BODY - offset - untilPreviewCut.length) + clusters
  const fields = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': 'base64' }
  return mail(fields, base64(untilPreviewCut + untilBodyCut))
}

function isWhole(text: string, cluster: string): boolean {
  return /^a*$/.test(text.normalize('NFC').replaceAll(cluster.normalize('NFC'), ''))
}

type Summary = { id: string; subject: string; sender: string; preview: string; attachmentCount: number }
type Message = Omit<Summary, 'preview'> & {
  originalSender?: string
  category: string
  body: string
  bodyTruncated: boolean
  attachments: { filename: string; contentType: string; size: number; inline: boolean }[]
}

/** A loved one's only message, from both tools. */
async function readOnly(t: ExecutionContext, lovedOne: LovedOne) {
  const listed = await list(lovedOne)
  t.is(listed.messages.length, 1)
  const summary = listed.messages[0] as Summary
  const message = await read(lovedOne, summary.id)
  return { summary, message, answers: JSON.stringify([listed, message]) }
}

async function list({ id: lovedOneId }: LovedOne, limit = 20): Promise<{ messages: Summary[] }> {
  return structured(await ask('list_inbox_messages', { lovedOneId, limit }))
}

async function read({ id: lovedOneId }: LovedOne, messageId: string): Promise<Message> {
  return structured(await ask('get_inbox_message', { lovedOneId, messageId }))
}

/** A small machine cannot read a hundred mails at the same time. */
function ask(tool: string, args: object) {
  return untilToolAnswered(() => world.call(key, tool, args))
}

function structured({ json, text }: Awaited<ReturnType<Guest['call']>>) {
  const result = json?.result
  if (result?.structuredContent === undefined) throw new Error(`no result: ${text}`)
  if (result.content[0].text !== JSON.stringify(result.structuredContent)) throw new Error('the text is different JSON')
  return result.structuredContent
}

/** Compares what the tools show with the corpus. */
function compare(t: ExecutionContext, message: Message, expect: MailCase['expect']) {
  const { bodyIncludes = [], bodyExcludes = [], attachments, attachmentCount = attachments?.length } = expect
  if (expect.subject !== undefined) t.is(message.subject, expect.subject)
  if (expect.from !== undefined) t.is(addressIn(message.sender), expect.from)
  if (expect.body !== undefined) t.is(message.body, expect.body)
  for (const wanted of bodyIncludes) t.true(message.body.includes(wanted), wanted)
  for (const unwanted of bodyExcludes) t.false(message.body.includes(unwanted), unwanted)
  if (attachmentCount !== undefined) t.is(message.attachments.length, attachmentCount)
  for (const [index, attachment] of (attachments ?? []).entries()) t.like(message.attachments[index], attachment)
  if (expect.category !== undefined) t.is(message.category, expect.category)
  if (expect.truncated !== undefined) t.is(message.bodyTruncated, expect.truncated)
  if (expect.originalSender !== undefined)
    t.is(message.originalSender === undefined ? null : addressIn(message.originalSender), expect.originalSender)
  if (expect.confirmation?.code !== undefined)
    t.regex(message.subject + message.body, new RegExp(expect.confirmation.code))
}

function addressIn(mailbox: string): string {
  return /<([^<>]*)>$/.exec(mailbox)?.[1] ?? mailbox
}

import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { createTransport } from 'nodemailer'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Answer, type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { mail } from '../mail-corpus/build-mail.ts'
import { callTool, mintKey } from './_approval.ts'

const test = anyTest as TestFn<{ f: Guest; sink: Sink; lovedOneId: string; inboxAddress: string }>

/** Nobody else on the stack writes from there. */
const CLINIC = `${randomText(8).toLowerCase()}.example`

test.before(async (t) => {
  const f = await joinFamily()
  const [lovedOne] = f.family.lovedOnes
  t.context = { f, sink: f.sink, lovedOneId: lovedOne?.id ?? '', inboxAddress: lovedOne?.inboxAddress ?? '' }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

type Received = { from: string; subject?: string; headers?: Record<string, string>; replyTo?: string }

type Recipient = { f: Guest; lovedOneId: string; inboxAddress: string }

/** Delivers a mail to the loved one's inbox and returns its id. */
async function receive(to: Recipient, mail: Received): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: to.f.stack.smtpPort, ignoreTLS: true })
  const marker = `${Math.random()}`
  await transport.sendMail({ to: to.inboxAddress, text: marker, subject: 'Question', ...mail })
  return findByPreview(to, marker)
}

/** The same with header fields exactly as given. */
async function receiveFields(to: Recipient, fields: Record<string, string>): Promise<string> {
  const marker = `Please answer. ${Math.random()}`
  await openMailer(to.f.stack).deliver(to.inboxAddress, mail(fields, marker))
  return findByPreview(to, marker)
}

async function findByPreview({ f, lovedOneId }: Recipient, marker: string): Promise<string> {
  for (;;) {
    const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50 })
    const messages = json.result?.structuredContent.messages
    if (messages) return messages.find(({ preview }: { preview: string }) => preview === marker).id as string
    if (json.error?.code !== -32_603) throw new Error(json.error?.message) // otherwise the service was too busy
  }
}

const untilQuiet = ({ stack, family }: Guest) => untilNoMailIsDue(stack, family.workspaceId)

/** Asks again when the service was too busy, as clients do. */
async function reply(f: Guest, args: object, key = f.family.keys.coordinator): Promise<Answer> {
  const sameReply = { idempotencyKey: crypto.randomUUID(), ...args }
  for (;;) {
    const answer = await f.call(key, 'reply_to_inbox_message', sameReply)
    if (answer.json?.error?.code !== -32_603) return answer
  }
}

test('a reply is sent once, in the conversation, under the member’s name, with Reply-To the inbox', async (t) => {
  const { f, sink, inboxAddress } = t.context
  const headers = { References: '<first@clinic.example>', 'Message-ID': '<second@clinic.example>' }
  const messageId = await receive(t.context, { from: `Clinic <desk@${CLINIC}>`, headers })
  const { json } = await reply(f, { messageId, body: 'Thank you.\n\nWe come at ten.' })
  t.is(json.result.structuredContent.to, `desk@${CLINIC}`)
  t.is(json.result.structuredContent.status, 'queued')
  const [mail] = await sink.waitFor(`desk@${CLINIC}`)
  t.regex(mail?.from ?? '', /^bounces\+[0-9a-f]{30}@family-inbox\.test$/)
  t.regex(mail?.headers ?? '', /^From: "?Luis Almeida.*<care@family-inbox\.test>$/m)
  t.regex(mail?.headers ?? '', new RegExp(`^Reply-To: ${inboxAddress}$`, 'm'))
  t.regex(mail?.headers ?? '', /^Subject: Re: Question$/m)
  t.regex(mail?.headers ?? '', /^In-Reply-To: <second@clinic\.example>$/m)
  t.regex(mail?.headers ?? '', /^References: <first@clinic\.example> <second@clinic\.example>$/m)
  t.notRegex(mail?.headers ?? '', /^Auto-Submitted/m)
  t.regex(mail?.raw ?? '', /We come at ten\./)
  t.regex(mail?.headers ?? '', /multipart\/alternative/)
})

test('a reply goes to the sender’s Reply-To', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, { from: `No Reply <noreply@${CLINIC}>`, replyTo: `people@${CLINIC}` })
  t.is((await reply(f, { messageId, body: 'Hello' })).json.result.structuredContent.to, `people@${CLINIC}`)
  await sink.waitFor(`people@${CLINIC}`)
})

test('the same idempotencyKey sends once, even with many concurrent requests', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, { from: `once@${CLINIC}` })
  const asks = Array.from({ length: 12 }, () => reply(f, { messageId, body: 'Once', idempotencyKey: 'reply-1' }))
  const answers = await Promise.all(asks)
  t.is(new Set(answers.map(({ json }) => json.result.structuredContent.replyId)).size, 1)
  await sink.waitFor(`once@${CLINIC}`)
  await untilQuiet(f)
  t.is(sink.mails.filter(({ to }) => to.includes(`once@${CLINIC}`)).length, 1)
  const other = await reply(f, { messageId, body: 'Something else', idempotencyKey: 'reply-1' })
  t.true(other.json.result.isError)
  t.regex(other.json.result.content[0].text, /idempotencyKey/)
})

test('a viewer cannot reply, and nothing is sent', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, { from: `viewer@${CLINIC}` })
  const { json } = await reply(f, { messageId, body: 'Hello' }, f.family.keys.viewer)
  t.true(json.result.isError)
  t.regex(json.result.content[0].text, /Viewers can read/)
  await untilQuiet(f)
  t.is(sink.mails.filter(({ to }) => to.includes(`viewer@${CLINIC}`)).length, 0)
})

test('a busy server is retried, and the mail arrives once', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, { from: `busy@${CLINIC}` })
  await reply(f, { messageId, body: 'Hello' })
  await sink.waitFor(`busy@${CLINIC}`)
  await untilQuiet(f)
  t.is((await sink.waitFor(`busy@${CLINIC}`)).length, 1)
})

test('line breaks and addresses in a subject, name or body stay plain text', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, {
    from: `"Evil\\" <x@y.example>, \\"" <inject@${CLINIC}>`,
    subject: `Hi\r\nBcc: victim@${CLINIC}`,
    headers: { 'X-Original': 'x' },
  })
  const body = `Line\r\n.\r\nMAIL FROM:<a@b.example>\r\nBcc: victim@${CLINIC}\u0000\u202e`
  await reply(f, { messageId, body })
  const [mail] = await sink.waitFor(`inject@${CLINIC}`)
  t.deepEqual(mail?.to, [`inject@${CLINIC}`])
  t.notRegex(mail?.headers ?? '', /^Bcc:/m)
  await untilQuiet(f)
  t.is(sink.mails.filter(({ to }) => to.includes(`victim@${CLINIC}`)).length, 0)
})

/** Addresses whose mail comes back to this installation: this inbox, others, and the sender of our mail. */
async function ownAddresses({ f, inboxAddress }: Recipient): Promise<string[]> {
  const [local = '', domain = ''] = inboxAddress.split('@')
  const theirs = (await f.another()).lovedOnes[0]?.inboxAddress ?? ''
  return [
    inboxAddress,
    `${local}+caf_=ana=mail.example@${domain}`,
    `${local.toUpperCase()}@${domain.toUpperCase()}`,
    `${inboxAddress}.`,
    `"${local}"@${domain}`,
    f.family.lovedOnes[1]?.inboxAddress ?? '',
    theirs,
    'care@family-inbox.test',
    `nobody@${domain}`,
  ]
}

test('a reply to a mail whose Reply-To is an inbox of ours goes to the clinic that wrote it', async (t) => {
  const { f, sink } = t.context
  for (const [index, ours] of (await ownAddresses(t.context)).entries()) {
    const clinic = `reception${index}@${CLINIC}`
    const From = `"Oakhill Clinic" <${clinic}>`
    const messageId = await receiveFields(t.context, { From, 'Reply-To': `<${ours}>` })
    const { text, data } = await callTool(f, f.family.keys.coordinator, 'reply_to_inbox_message', {
      messageId,
      body: 'We come at ten.',
      expectedTo: clinic,
    })
    t.is(data.to, clinic, text)
    await sink.waitFor(clinic)
  }
  const both = { From: `a@${CLINIC}`, 'Reply-To': `${t.context.inboxAddress}, office@${CLINIC}` }
  const fields = [both, { From: t.context.inboxAddress, 'Reply-To': `office@${CLINIC}` }]
  for (const one of fields) {
    const messageId = await receiveFields(t.context, one)
    const { data } = await callTool(f, f.family.keys.coordinator, 'reply_to_inbox_message', { messageId, body: 'Hi' })
    t.is(data.to, `office@${CLINIC}`)
  }
})

test('when a mail names only addresses of ours, nobody can reply: the assistant and the page hear why', async (t) => {
  const { f, sink, lovedOneId, inboxAddress } = t.context
  const owner = await signIn(f, sink, f.family.people.owner)
  const keys = [f.family.keys.owner, await mintKey(owner, 'approval')]
  const addresses = await ownAddresses(t.context)
  for (const ours of addresses) {
    const messageId = await receiveFields(t.context, { From: `<${ours}>`, 'Reply-To': `<${inboxAddress}>` })
    for (const key of keys) {
      const refused = await callTool(f, key, 'reply_to_inbox_message', { messageId, body: 'Hello' })
      t.true(refused.isError, ours)
      t.regex(refused.text, /one of this service’s own\. Call them instead/)
    }
    const path = `/inbox/${lovedOneId}/${messageId}`
    const page = await owner.get(path)
    t.regex(page.text, /one of this service’s own\. Call them instead/)
    t.notRegex(page.text, /class="composer"/)
    const sent = await owner.submit(`${path}/reply`, { body: 'Typed before', key: 'k', writer: '' })
    t.is(sent.status, 422)
    t.regex(sent.text, /Typed before/, 'what was written is not lost')
  }
  t.notRegex((await owner.get('/')).text, /waiting for approval/)
  await untilQuiet(f)
  t.deepEqual(
    sink.mails.filter(({ to }) => to.some((one) => addresses.includes(one))),
    [],
  )
})

test('a reply that an older version stored for an inbox of ours is shown as not sent', async (t) => {
  const { f, lovedOneId, inboxAddress } = t.context
  const messageId = await receive(t.context, { from: `old@${CLINIC}` })
  const { data } = await callTool(f, f.family.keys.owner, 'reply_to_inbox_message', { messageId, body: 'Hello' })
  await using mongo = await openDatabase(f.stack, 'inbox')
  const replies = mongo.db().collection<{ _id: string }>('replies')
  const stored = await replies.findOne({ _id: data.replyId ?? '' })
  const _id = 'rep_00000000000000000000000001'
  const more = { to: inboxAddress, requestHash: _id, derivedKey: _id, createdAt: new Date(Date.now() - 60_000) }
  const { mailQueuedAt: _, ...unqueued } = stored as unknown as { mailQueuedAt: Date }
  await replies.insertOne({ ...unqueued, ...more, _id })
  const owner = await signIn(f, t.context.sink, f.family.people.owner)
  const { text } = await readUntil(
    () => owner.get(`/inbox/${lovedOneId}/${messageId}`),
    (page) => /Not delivered/.test(page.text),
  )
  t.true(text.includes(inboxAddress))
  await untilQuiet(f)
  t.is(t.context.sink.mails.filter(({ to }) => to.includes(inboxAddress)).length, 0)
})

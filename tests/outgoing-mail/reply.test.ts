import anyTest, { type TestFn } from 'ava'
import { createTransport } from 'nodemailer'
import { type Answer, type Family, startFamily } from '../_family.ts'
import { type startMailSink as Start, startMailSink, type Verdict } from '../_mail-sink.ts'

type Sink = Awaited<ReturnType<typeof Start>>
const test = anyTest as TestFn<{ f: Family; sink: Sink; lovedOneId: string; inboxAddress: string }>

/** The other server's behavior, by recipient. */
const behaviour = new Map<string, (tries: number) => Verdict | Promise<Verdict>>()

test.before(async (t) => {
  const sink = await startMailSink(({ to }, tries) => behaviour.get(to[0] ?? '')?.(tries))
  const f = await startFamily({ env: { SMTP_URL: sink.url } })
  const [lovedOne] = f.family.lovedOnes
  t.context = { f, sink, lovedOneId: lovedOne?.id ?? '', inboxAddress: lovedOne?.inboxAddress ?? '' }
})
test.after.always(async (t) => {
  await t.context.f?.[Symbol.asyncDispose]()
  await t.context.sink?.[Symbol.asyncDispose]()
})

type Received = { from: string; subject?: string; headers?: Record<string, string>; replyTo?: string }

/** Delivers a mail to the loved one's inbox and returns its id. */
async function receive(
  { f, lovedOneId, inboxAddress }: { f: Family; lovedOneId: string; inboxAddress: string },
  mail: Received,
) {
  const transport = createTransport({ host: '127.0.0.1', port: f.stack.smtpPort, ignoreTLS: true })
  const marker = `${Math.random()}`
  await transport.sendMail({ to: inboxAddress, text: marker, subject: 'Question', ...mail })
  for (;;) {
    const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50 })
    const messages = json.result?.structuredContent.messages
    if (messages) return messages.find(({ preview }: { preview: string }) => preview === marker).id as string
    if (json.error?.code !== -32_603) throw new Error(json.error?.message) // otherwise the service was too busy
  }
}

const reply = (f: Family, args: object, key = f.family.keys.coordinator) => f.call(key, 'reply_to_inbox_message', args)

test('a reply is sent once, in the conversation, under the member’s name, with Reply-To the inbox', async (t) => {
  const { f, sink, inboxAddress } = t.context
  const headers = { References: '<first@clinic.example>', 'Message-ID': '<second@clinic.example>' }
  const messageId = await receive(t.context, { from: 'Clinic <desk@clinic.example>', headers })
  const { json } = await reply(f, { messageId, body: 'Thank you.\n\nWe come at ten.' })
  t.is(json.result.structuredContent.to, 'desk@clinic.example')
  t.is(json.result.structuredContent.status, 'queued')
  const [mail] = await sink.waitFor('desk@clinic.example')
  t.is(mail?.from, 'care@family-inbox.test')
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
  const messageId = await receive(t.context, { from: 'No Reply <noreply@lab.example>', replyTo: 'people@lab.example' })
  t.is((await reply(f, { messageId, body: 'Hello' })).json.result.structuredContent.to, 'people@lab.example')
  await sink.waitFor('people@lab.example')
})

test('the same idempotencyKey sends once, even with many concurrent requests', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, { from: 'once@clinic.example' })
  // Retries as a client should.
  const ask = async (): Promise<Answer> => {
    const answer = await reply(f, { messageId, body: 'Once', idempotencyKey: 'reply-1' })
    return answer.json.error?.code === -32603 ? ask() : answer
  }
  const asks = Array.from({ length: 12 }, ask)
  const answers = await Promise.all(asks)
  t.is(new Set(answers.map(({ json }) => json.result.structuredContent.replyId)).size, 1)
  await sink.waitFor('once@clinic.example')
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.is(sink.mails.filter(({ to }) => to.includes('once@clinic.example')).length, 1)
  const other = await reply(f, { messageId, body: 'Something else', idempotencyKey: 'reply-1' })
  t.true(other.json.result.isError)
  t.regex(other.json.result.content[0].text, /idempotencyKey/)
})

test('a viewer cannot reply, and nothing is sent', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, { from: 'viewer@clinic.example' })
  const { json } = await reply(f, { messageId, body: 'Hello' }, f.family.keys.viewer)
  t.true(json.result.isError)
  t.regex(json.result.content[0].text, /Viewers can read/)
  t.is(sink.mails.filter(({ to }) => to.includes('viewer@clinic.example')).length, 0)
})

test('a busy server is retried, and the mail arrives once', async (t) => {
  const { f, sink } = t.context
  behaviour.set('busy@clinic.example', (tries) => (tries < 2 ? { code: 451, text: 'later' } : undefined))
  const messageId = await receive(t.context, { from: 'busy@clinic.example' })
  await reply(f, { messageId, body: 'Hello' })
  t.is((await sink.waitFor('busy@clinic.example')).length, 1)
})

test('line breaks and addresses in a subject, name or body stay plain text', async (t) => {
  const { f, sink } = t.context
  const messageId = await receive(t.context, {
    from: '"Evil\\" <x@y.example>, \\"" <inject@clinic.example>',
    subject: 'Hi\r\nBcc: victim@clinic.example',
    headers: { 'X-Original': 'x' },
  })
  const body = 'Line\r\n.\r\nMAIL FROM:<a@b.example>\r\nBcc: victim@clinic.example\u0000\u202e'
  await reply(f, { messageId, body })
  const [mail] = await sink.waitFor('inject@clinic.example')
  t.deepEqual(mail?.to, ['inject@clinic.example'])
  t.notRegex(mail?.headers ?? '', /^Bcc:/m)
  t.is(sink.mails.filter(({ to }) => to.includes('victim@clinic.example')).length, 0)
})

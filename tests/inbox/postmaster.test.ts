import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { mail, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { connectSmtp } from './_smtp-client.ts'

const OPERATOR = 'operator@operator.example'
/** Of mail to postmaster, in an hour. */
const MOST = 20
const test = anyTest as TestFn<{ f: Guest & { sink: Sink } }>
test.before(async (t) => {
  t.context = { f: await joinFamily() }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

async function deliver(f: Guest, recipient: string, raw: Buffer): Promise<string> {
  using client = await connectSmtp(f.stack.smtpPort)
  await client.say('EHLO other.example')
  await client.say('MAIL FROM:<desk@other.example>')
  const accepted = await client.say(`RCPT TO:<${recipient}>`)
  if (!accepted.startsWith('250')) return accepted
  await client.say('DATA')
  return await client.end(raw)
}

const numbered = (nth: number) =>
  mail({ 'Message-ID': `<abuse.${nth}@other.example>`, Subject: `Abuse ${nth}` }, `Please stop ${nth}.`)

test.serial('whoever writes to postmaster reaches the operator, whatever they write it like', async (t) => {
  const { f } = t.context
  const spellings = ['postmaster', 'Postmaster', 'postmaster@family-inbox.test', 'POSTMASTER@Family-Inbox.test']
  for (const [nth, recipient] of spellings.entries())
    t.regex(await deliver(f, recipient, numbered(nth)), /^250/, recipient)
  const mails = await f.sink.waitFor(OPERATOR, spellings.length)
  t.is(mails.length, spellings.length)
  const [first] = mails.filter(({ headers }) => /^Subject: To postmaster: Abuse 0$/m.test(headers))
  t.regex(first?.raw ?? '', /Please stop 0\./)
  t.regex(first?.headers ?? '', /^Reply-To: desk@clinic\.example$/m)
  t.regex(first?.headers ?? '', /^Auto-Submitted: auto-generated$/m)
})

test.serial('a mail to postmaster that is delivered again is sent once, and its files are not sent', async (t) => {
  const { f } = t.context
  const raw = multipartMail({ 'Message-ID': '<twice@other.example>', Subject: 'Twice' }, 'mixed', [text('Once.')])
  t.regex(await deliver(f, 'postmaster', raw), /^250/)
  t.regex(await deliver(f, 'postmaster', raw), /^250/)
  t.regex(await deliver(f, 'postmaster', numbered(100)), /^250/)
  await f.sink.waitFor(OPERATOR, 6)
  t.is(f.sink.mails.filter(({ headers }) => headers.includes('To postmaster: Twice')).length, 1)
})

test.serial('postmaster of another domain is no mailbox here', async (t) => {
  t.regex(await deliver(t.context.f, 'postmaster@clinic.example', numbered(0)), /^550 5\.1\.1/)
})

test.serial('a flood to postmaster waits at its sender, and a letter to an inbox does not', async (t) => {
  const { f } = t.context
  const answers: string[] = []
  for (let nth = 200; nth < 200 + MOST; nth += 1) answers.push(await deliver(f, 'postmaster', numbered(nth)))
  t.true(answers.some((answer) => answer.startsWith('452 4.7.28')))
  t.is(f.sink.mails.filter(({ to }) => to.includes(OPERATOR)).length <= MOST, true)
  t.regex(await deliver(f, f.family.lovedOnes[0]?.inboxAddress ?? '', mail({}, 'Hello')), /^250/)
})

import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import anyTest, { type TestFn } from 'ava'
import { createTransport } from 'nodemailer'
import { type Family, startFamily } from '../_family.ts'
import { until } from '../_wait.ts'
import { connectSmtp, deliver, plainMail } from '../inbox/_smtp-client.ts'
import { OURS } from './_certificates.ts'
import { makeTlsFolder, type TlsFolder } from './_tls-folder.ts'

const test = anyTest.serial as TestFn<{ family: Family; folder: TlsFolder }>

anyTest.before(async (t) => {
  const folder = await makeTlsFolder(OURS.first, OURS.authority)
  t.context = { folder, family: await startFamily({ env: { SMTP_TLS_DIR: folder.dir } }) }
})

anyTest.after.always(async (t) => {
  const { family, folder } = t.context as { family?: Family; folder?: TlsFolder }
  await family?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

test('mail servers deliver by STARTTLS, or without encryption if they have none', async (t) => {
  const { stack, family } = t.context.family
  const to = family.lovedOnes[0]?.inboxAddress ?? ''
  const tls = { ca: OURS.authority, servername: 'localhost', minVersion: 'TLSv1.2' } as const
  const transport = createTransport({ host: '127.0.0.1', port: stack.smtpPort, requireTLS: true, tls })
  const sent = await transport.sendMail({
    envelope: { from: 'desk@clinic.example', to },
    raw: plainMail('Sent with encryption'),
  })
  t.regex(sent.response, /^250 /)
  t.regex(await deliver(stack.smtpPort, to, plainMail('Sent without')), /^250 /)
  const lovedOneId = family.lovedOnes[0]?.id
  const { json } = await t.context.family.call(family.keys.owner, 'list_inbox_messages', { lovedOneId })
  const subjects = json.result.structuredContent.messages.map(({ subject }: { subject: string }) => subject)
  t.true(subjects.includes('Sent with encryption') && subjects.includes('Sent without'))
})

test('plain-text commands after STARTTLS are discarded once the connection is encrypted', async (t) => {
  const { stack } = t.context.family
  using client = await connectSmtp(stack.smtpPort)
  t.regex(await client.say('EHLO clinic.example'), /STARTTLS/)
  await client.write('STARTTLS\r\nMAIL FROM:<mallory@evil.example>\r\n')
  t.regex(await client.answer(), /^220 /)
  const answers = await answersInside(client.socket, ['NOOP', 'RCPT TO:<anybody@family-inbox.test>'])
  t.regex(answers[0] ?? '', /^250 /, 'the first answer inside is to NOOP')
  t.regex(answers[1] ?? '', /^503 /, 'no sender was taken from outside')
})

test('TLS older than 1.2 is rejected for mail servers too', async (t) => {
  const { stack } = t.context.family
  using client = await connectSmtp(stack.smtpPort)
  await client.say('EHLO clinic.example')
  await client.say('STARTTLS')
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  await t.throwsAsync(encrypt(client.socket, old))
})

test('a renewed certificate applies to new connections and breaks no existing one', async (t) => {
  const { folder, family } = t.context
  const { smtpPort, logs } = family.stack
  const warnings = async () => (await readFile(logs('inbox'), 'utf8')).match(/SMTP_TLS_DIR: tls\.key does not fit/g)
  using open = await connectSmtp(smtpPort)
  await open.say('EHLO clinic.example')
  await open.say('STARTTLS')
  const encrypted = await encrypt(open.socket)
  const before = await serialOf(smtpPort)
  await writeFile(join(folder.dir, 'tls.key'), OURS.second.key) // half of the pair
  await until(async () => (await warnings()) !== null)
  t.is(await serialOf(smtpPort), before, 'the certificate in use stays until both files fit')
  await folder.write(OURS.second)
  await until(async () => (await serialOf(smtpPort)) !== before)
  t.is((await warnings())?.length, 1)
  t.regex((await say(encrypted, 'NOOP')) ?? '', /^250 /, 'open connections keep working')
})

async function serialOf(port: number): Promise<string> {
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  await client.say('STARTTLS')
  return (await encrypt(client.socket)).getPeerCertificate().serialNumber
}

async function answersInside(socket: Socket, commands: string[]): Promise<string[]> {
  const encrypted = await encrypt(socket)
  const answers: string[] = []
  for (const command of commands) answers.push(await say(encrypted, command))
  return answers
}

async function encrypt(socket: Socket, options = {}): Promise<TLSSocket> {
  socket.removeAllListeners('data')
  const encrypted = connect({ socket, ca: OURS.authority, servername: 'localhost', ...options })
  await once(encrypted, 'secureConnect')
  return encrypted
}

async function say(socket: TLSSocket, line: string): Promise<string> {
  const answer = once(socket, 'data')
  socket.write(`${line}\r\n`)
  return String((await answer)[0])
}

import { readFile } from 'node:fs/promises'
import test from 'ava'
import { becomesTrue } from '../_wait.ts'
import { openPostOffice, type PostOffice } from './_post-office.ts'
import { connectSmtp, deliver, plainMail, type SmtpClient } from './_smtp-client.ts'

const MB = 1024 * 1024

let office: PostOffice
let port: number

test.before(async () => {
  office = await openPostOffice({ separate: ['inbox'], serviceEnv: { SMTP_MAX_CONNECTIONS_PER_PEER: '150' } })
  port = office.stack.smtpPort
})
test.after.always(() => office?.[Symbol.asyncDispose]())

const subjects = async (lovedOne: Awaited<ReturnType<PostOffice['lovedOne']>>) =>
  (await office.messages(lovedOne)).map(({ subject }) => subject)

test('the server reveals no software and offers no unsupported command', async (t) => {
  using client = await connectSmtp(port)
  t.is(client.greeting, `220 ${office.stack.mailDomain} ESMTP`)
  const offers = await client.say('EHLO clinic.example')
  t.regex(offers, /SIZE 29360128/)
  t.notRegex(offers, /AUTH|STARTTLS|XCLIENT/)
  for (const command of ['AUTH PLAIN AGEAYg==', 'STARTTLS', 'EXPN list', 'HELP', 'WIZ x', 'SHELL', 'BDAT 3 LAST'])
    t.regex(await client.say(command), /^50\d /, command)
})

test('VRFY gives the same reply for existing and unknown addresses', async (t) => {
  const { address } = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  t.is(await client.say(`VRFY ${address}`), await client.say('VRFY nobody@family-inbox.test'))
})

test('mail for unknown addresses and other domains is refused at RCPT', async (t) => {
  const { address } = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  for (const recipient of [`x${address}`, 'postmaster@clinic.example', `${address}.example`, `"@"${address}`])
    t.regex(await client.say(`RCPT TO:<${recipient}>`), /^550 5\.1\.1 |^501 /, recipient)
  t.regex(await client.say(`RCPT TO:<$ne@${office.stack.mailDomain}>`), /^550 5\.1\.1 /)
  t.regex(await client.say('DATA'), /^503 /)
})

test('an address matches in capitals and with a suffix', async (t) => {
  const lovedOne = await office.lovedOne()
  const [local, domain] = lovedOne.address.split('@')
  for (const recipient of [lovedOne.address.toUpperCase(), `${local}+caf_=ines=mail.example@${domain}`])
    t.regex(await deliver(port, recipient, plainMail('Found')), /^250 /)
  t.is((await office.messages(lovedOne)).length, 2)
})

test('a client that guesses addresses is disconnected', async (t) => {
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  const answers: string[] = []
  for (let guess = 0; guess < 12; guess += 1)
    answers.push((await client.say(`RCPT TO:<guess${guess}@${office.stack.mailDomain}>`)).slice(0, 3))
  t.deepEqual(answers, [...Array(10).fill('550'), '421', ''])
})

test('a client that repeats recipients and sends no mail is disconnected', async (t) => {
  const lovedOne = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  const answers = new Set<string>()
  for (let attempt = 1; attempt <= 200; attempt += 1) {
    if (attempt % 40 === 1) await client.say('RSET')
    if (attempt % 40 === 1) await client.say('MAIL FROM:<desk@clinic.example>')
    answers.add((await client.say(`RCPT TO:<${lovedOne.address}>`)).slice(0, 3))
  }
  t.deepEqual([...answers], ['250'])
  t.regex(await client.say(`RCPT TO:<${lovedOne.address}>`), /^421 /)
})

test('the fifty-first recipient is deferred, and the first fifty get their mail', async (t) => {
  const lovedOne = await office.lovedOne()
  const [local, domain] = lovedOne.address.split('@')
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  for (let index = 0; index < 50; index += 1)
    t.regex(await client.say(`RCPT TO:<${local}+${index}@${domain}>`), /^250 /)
  t.regex(await client.say(`RCPT TO:<${local}+50@${domain}>`), /^452 /)
  await client.say('DATA')
  t.regex(await client.end(plainMail('To fifty')), /^250 /)
  t.deepEqual(await subjects(lovedOne), ['To fifty'])
})

test('mail without a return path is accepted, since it may be an automatic reply', async (t) => {
  const lovedOne = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.say('HELO clinic.example')
  t.regex(await client.say('MAIL FROM:<>'), /^250 /)
  await client.say(`RCPT TO:<${lovedOne.address}>`)
  await client.say('DATA')
  t.regex(await client.end(plainMail('Away')), /^250 /)
  t.deepEqual(await subjects(lovedOne), ['Away'])
})

test('mail declared larger than 28 MB is refused before it is sent', async (t) => {
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  t.regex(await client.say(`MAIL FROM:<desk@clinic.example> SIZE=${28 * MB + 1}`), /^552 /)
  t.regex(await client.say(`MAIL FROM:<desk@clinic.example> SIZE=${28 * MB}`), /^250 /)
})

test.serial('mail larger than 28 MB is refused at its end, and the connection stays open', async (t) => {
  const lovedOne = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.begin(lovedOne.address)
  await writeText(client, 29 * MB)
  t.regex(await client.end(''), /^552 5\.3\.4 /)
  await client.begin(lovedOne.address)
  t.regex(await client.end(plainMail('Small')), /^250 /)
  t.deepEqual(await subjects(lovedOne), ['Small'])
})

test.serial('mail that never ends is cut off', async (t) => {
  const { address } = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.begin(address)
  await writeText(client, 60 * MB)
  t.regex(await client.answer(), /^552 5\.3\.4 /)
  t.is(await client.answer(), '')
})

test('mail with more than fifty hops is refused as a loop', async (t) => {
  const lovedOne = await office.lovedOne()
  const hops = (count: number) =>
    Array(count).fill('Received: from a.example by b.example; Fri, 20 Nov 2026 10:00:00 +0000')
  t.regex(await deliver(port, lovedOne.address, plainMail('Far', 'x', hops(50))), /^250 /)
  t.regex(await deliver(port, lovedOne.address, plainMail('Round', 'x', hops(51))), /^554 5\.4\.6 /)
  t.deepEqual(await subjects(lovedOne), ['Far'])
})

const FALSE_ENDS = [
  '\n.\n',
  '\n.\r\n',
  '\r\n.\n',
  '\r.\r',
  '\r\n.\r',
  '\r.\r\n',
  '\n\n.\r\n',
  '\r\n\0.\r\n',
  '\r\n. \r\n',
  '\r\n.\r\r\n',
]

for (const end of FALSE_ENDS)
  for (const byteByByte of [false, true])
    test(`a second mail cannot be smuggled in behind ${JSON.stringify(end)}${byteByByte ? ', one byte at a time' : ''}`, async (t) => {
      const lovedOne = await office.lovedOne()
      const hidden = `MAIL FROM:<evil@clinic.example>\r\nRCPT TO:<${lovedOne.address}>\r\nDATA\r\n${plainMail('Smuggled')}`
      const mail = plainMail('Carrier', `Hello${end}${hidden}`)
      using client = await connectSmtp(port)
      await client.begin(lovedOne.address)
      const parts = byteByByte ? [...mail] : [mail]
      for (const part of parts) await client.write(part)
      t.regex(await client.end(''), /^250 /)
      t.regex(await client.say('NOOP'), /^250 /)
      t.deepEqual(await subjects(lovedOne), ['Carrier'])
    })

test('leading dots are unescaped correctly', async (t) => {
  const lovedOne = await office.lovedOne()
  await deliver(port, lovedOne.address, plainMail('Dots', '..one\r\n...two\r\nthree.'))
  const [message] = await office.messages(lovedOne)
  t.is(await office.body(lovedOne, message?.id ?? ''), '.one\n..two\nthree.')
})

test('a 1 MB line is accepted in a mail, and as a command closes the connection', async (t) => {
  const lovedOne = await office.lovedOne()
  t.regex(await deliver(port, lovedOne.address, plainMail('Long line', 'a'.repeat(MB))), /^250 /)
  t.deepEqual(await subjects(lovedOne), ['Long line'])
  using client = await connectSmtp(port)
  await client.write('a'.repeat(MB))
  t.regex(await client.answer(), /^421 /)
  t.is(await client.answer(), '')
})

test('NUL and control bytes are refused in commands and removed from mail', async (t) => {
  const lovedOne = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  t.regex(await client.say('MAIL FROM:<a\0b@clinic.example>'), /^501 /)
  await client.say('MAIL FROM:<desk@clinic.example>')
  t.regex(await client.say(`RCPT TO:<\0${lovedOne.address}>`), /^501 /)
  t.regex(await client.say('\0\0\0'), /^500 /)
  t.regex(await deliver(port, lovedOne.address, plainMail('Nul\0\x07', 'a\0b\x1bc')), /^250 /)
  t.deepEqual(await subjects(lovedOne), ['Nul'])
})

test('a client that sends invalid commands is disconnected, and others are served', async (t) => {
  using client = await connectSmtp(port)
  const answers: string[] = []
  for (let line = 0; line < 12; line += 1) answers.push((await client.say(`NONSENSE ${line}`)).slice(0, 3))
  t.true(answers.includes('421'))
  using other = await connectSmtp(port)
  t.regex(await other.say('GET / HTTP/1.1'), /^421 /)
})

test.serial('a hundred idle connections do not block others, and one peer cannot take all connections', async (t) => {
  const lovedOne = await office.lovedOne()
  const idle = await Promise.all(Array.from({ length: 100 }, () => connectSmtp(port)))
  t.true(idle.every(({ greeting }) => greeting.startsWith('220')))
  t.regex(await deliver(port, lovedOne.address, plainMail('In between')), /^250 /)
  const more = await Promise.all(Array.from({ length: 60 }, () => connectSmtp(port)))
  t.true(more.some(({ greeting }) => greeting.startsWith('421 4.7.0')))
  for (const client of [...idle, ...more]) client.socket.destroy()
  const isAccepted = async () => (await deliver(port, lovedOne.address, plainMail('Afterwards'))).startsWith('250 ')
  t.true(await becomesTrue(() => isAccepted().catch(() => false)))
})

test.after('no mail content is in the log, and the process never restarted', async (t) => {
  const log = await readFile(office.stack.logs('inbox'), 'utf8')
  t.notRegex(log, /clinic\.example|santos|Carrier|Smuggled|family-inbox\.test|call us back|msg_|lo_/i)
  t.is(office.stack.deaths('inbox'), 0)
})

async function writeText(client: SmtpClient, bytes: number): Promise<void> {
  const chunk = 'abcdefghij'.repeat(7).concat('\r\n').repeat(1024)
  for (let sent = 0; sent < bytes && !client.socket.destroyed; sent += chunk.length) await client.write(chunk)
}

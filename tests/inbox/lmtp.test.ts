import { freePort } from '@family-inbox/local-stack/free-port'
import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { crashLine } from '@family-inbox/service-kit/lifecycle/crash-point'
import anyTest, { type TestFn } from 'ava'
import { countLines } from '../_count-lines.ts'
import { readUntil } from '../_wait.ts'
import { type LovedOne, openPostOffice, type PostOffice } from './_post-office.ts'
import { connectSmtp, plainMail, type SmtpClient } from './_smtp-client.ts'

const test = anyTest.serial as TestFn<{ office: PostOffice; port: number }>
const NOBODY = 'nobody@family-inbox.test'

test.before(async (t) => {
  const port = await freePort()
  const env = { LMTP_PORT: `${port}`, LMTP_AUTHSERV_ID: 'mx.test', INBOX_MESSAGES_PER_HOUR: '3' }
  t.context = { office: await openPostOffice({ separate: ['inbox'], env }), port }
})
test.after.always((t) => t.context.office?.[Symbol.asyncDispose]())

/** As Postfix does: one mail, all its recipients. @returns the answers to RCPT, then one for each recipient that was accepted */
async function hand(port: number, mail: string, recipients: string[], beforeData?: () => Promise<void>) {
  using client = await connectSmtp(port)
  return await offer(client, mail, recipients, beforeData)
}

async function offer(client: SmtpClient, mail: string, recipients: string[], beforeData = async () => {}) {
  await client.say('LHLO mx.test')
  await client.say('MAIL FROM:<desk@clinic.example>')
  const named: string[] = []
  for (const recipient of recipients) named.push(await client.say(`RCPT TO:<${recipient}>`))
  const accepted = named.filter((one) => one.startsWith('250')).length
  if (accepted === 0) return { named, kept: [] }
  await beforeData()
  await client.say('DATA')
  const kept = [await client.end(mail)]
  while (kept.length < accepted) kept.push(await client.answer())
  return { named: named.map(codeOf), kept: kept.map(codeOf) }
}

const codeOf = (answer: string) => answer.slice(0, 3)

async function newFamily({ office }: { office: PostOffice }, count = 2) {
  const { lovedOnes, owner: token } = await office.family(count)
  const subjects = async (lovedOne: LovedOne) =>
    (await office.messages({ ...lovedOne, token })).map(({ subject }) => subject).sort()
  return { lovedOnes: lovedOnes as [LovedOne, LovedOne], token, subjects }
}

test('a mail server hands over mail, and each recipient has an answer of their own', async (t) => {
  const { port } = t.context
  const { lovedOnes, subjects } = await newFamily(t.context)
  const [first, second] = lovedOnes
  const answers = await hand(port, plainMail('For both'), [first.address, NOBODY, second.address])
  t.deepEqual(answers, { named: ['250', '550', '250'], kept: ['250', '250'] })
  t.deepEqual(await subjects(first), ['For both'])
  t.deepEqual(await subjects(second), ['For both'])
})

test('an inbox that accepts no more keeps the mail from nobody else', async (t) => {
  const { port } = t.context
  const { lovedOnes, subjects } = await newFamily(t.context)
  const [busy, other] = lovedOnes
  for (const subject of ['1', '2']) await hand(port, plainMail(subject), [busy.address])
  const mail = plainMail('For both')
  const addresses = [busy.address, other.address]
  const fill = async () => void (await hand(port, plainMail('3'), [busy.address]))
  t.deepEqual(await hand(port, mail, addresses, fill), { named: ['250', '250'], kept: ['452', '250'] })
  t.deepEqual(await hand(port, mail, addresses), { named: ['452', '250'], kept: ['250'] })
  t.deepEqual(await subjects(busy), ['1', '2', '3'])
  t.deepEqual(await subjects(other), ['For both'], 'the second offer is the same mail')
})

test('a mail that is too large is refused for each recipient, and the next one on the same connection arrives', async (t) => {
  const { port } = t.context
  const { lovedOnes, subjects } = await newFamily(t.context)
  const addresses = lovedOnes.map(({ address }) => address)
  using client = await connectSmtp(port)
  t.deepEqual(
    (await offer(client, plainMail('Large', 'x'.repeat(78).concat('\r\n').repeat(380_000)), addresses)).kept,
    ['552', '552'],
  )
  t.deepEqual((await offer(client, plainMail('Small'), addresses)).kept, ['250', '250'])
  t.deepEqual(await subjects(lovedOnes[0]), ['Small'])
})

test('a recipient that is named twice has one mail, and both commands have an answer', async (t) => {
  const { port } = t.context
  const { lovedOnes, subjects } = await newFamily(t.context)
  const [{ address }] = lovedOnes
  const answers = await hand(port, plainMail('Once'), [address, address.toUpperCase()])
  t.deepEqual(answers, { named: ['250', '451'], kept: ['250'] })
  t.deepEqual(await subjects(lovedOnes[0]), ['Once'])
})

test('a mail server that speaks SMTP by mistake gets an error that says so', async (t) => {
  using client = await connectSmtp(t.context.port)
  t.regex(client.greeting, /^220 \S+ LMTP/)
  t.regex(await client.say('EHLO mx.test'), /^500 .*not allowed in LMTP/)
})

test('wherever inbox dies, the mail server offers the mail again, and each inbox has it once', async (t) => {
  const { office, port } = t.context
  const { lovedOnes, subjects } = await newFamily(t.context)
  const addresses = lovedOnes.map(({ address }) => address)
  const mail = plainMail('Survives')
  office.stack.crashAt('inbox', ['message-stored'])
  await office.stack.restart('inbox')
  t.deepEqual((await hand(port, mail, addresses)).kept[0], '', 'no answer')
  await readUntil(
    async () => countLines(office.stack.logs('inbox'), crashLine('message-stored')),
    (lines) => lines === 1,
  )
  const again = await readUntil(
    () => hand(port, mail, addresses).catch(() => ({ kept: [] as string[] })), // it is starting
    ({ kept }) => kept.length === 2 && !kept.includes(''),
  )
  t.deepEqual(again.kept, ['250', '250'])
  for (const lovedOne of lovedOnes) t.deepEqual(await subjects(lovedOne), ['Survives'])
})

test('who sent a mail is known only from the field that this mail server added', async (t) => {
  const { office, port } = t.context
  const results = (id: string) => `Authentication-Results: ${id}; dmarc=pass header.from=clinic.example\r\n`
  const checkOf = async (fields: string) => {
    const { lovedOnes, token } = await newFamily(t.context, 1)
    await hand(port, fields + plainMail('Proof'), [lovedOnes[0].address])
    const read = async () => (await office.messages({ ...lovedOnes[0], token }))[0]?.check
    return readUntil(read, (check) => check !== undefined && check !== SenderCheck.UNSPECIFIED)
  }
  t.is(await checkOf(results('mx.test')), SenderCheck.VERIFIED)
  t.is(await checkOf(results('mx.evil.example')), SenderCheck.NOT_VERIFIED)
  t.is(await checkOf(''), SenderCheck.NOT_VERIFIED)
  const failed = 'Authentication-Results: mx.test; dmarc=fail header.from=clinic.example\r\n'
  t.is(
    await checkOf(failed + results('mx.test')),
    SenderCheck.FAILED,
    'the first field counts, a forged one below does not',
  )
})

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { untilAnswered } from '../_outcome.ts'
import { findOpened } from '../_sealed.ts'
import { readUntil, until } from '../_wait.ts'
import { openPostOffice, type PostOffice } from './_post-office.ts'
import { connectSmtp, deliver, isTaken, plainMail } from './_smtp-client.ts'

let office: PostOffice
let port: number

test.before(async () => {
  office = await openPostOffice({ separate: ['inbox'], ownMongod: true })
  port = office.stack.smtpPort
})
test.after.always(() => office?.[Symbol.asyncDispose]())

const bulk = (bytes: number) =>
  'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAx\r\n'.repeat(bytes / 74)

test('one mail to loved ones in several workspaces arrives once for each', async (t) => {
  const [one, other] = await Promise.all([office.family(2), office.family(1)])
  const addresses = [...one.lovedOnes, ...other.lovedOnes].map(({ address }) => address)
  using client = await connectSmtp(port)
  await client.begin(...addresses, addresses[0]?.replace('@', '+again@') ?? '')
  t.regex(await client.end(plainMail('To all')), /^250 /)
  for (const { owner: token, lovedOnes } of [one, other])
    for (const lovedOne of lovedOnes)
      t.deepEqual(
        (await office.messages({ ...lovedOne, token })).map(({ subject }) => subject),
        ['To all'],
      )
})

test('one connection delivers many mails with pipelined commands', async (t) => {
  const lovedOne = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  for (let index = 0; index < 20; index += 1) {
    await client.write(`MAIL FROM:<desk@clinic.example>\r\nRCPT TO:<${lovedOne.address}>\r\nDATA\r\n`)
    t.deepEqual(await take(3, () => client.answer().then(code)), ['250', '250', '354'])
    t.regex(await client.end(plainMail(`Mail ${index}`)), /^250 /)
  }
  const subjects = (await office.messages(lovedOne)).map(({ subject }) => subject)
  t.deepEqual(
    subjects,
    Array.from({ length: 20 }, (_, index) => `Mail ${19 - index}`),
  )
})

test('the same mail delivered sixteen times in parallel is one message', async (t) => {
  const lovedOne = await office.lovedOne()
  const mail = plainMail('Once')
  const answers = await Promise.all(Array.from({ length: 16 }, () => deliver(port, lovedOne.address, mail)))
  t.true(answers.every((answer) => answer.startsWith('250 ')))
  t.is((await office.messages(lovedOne)).length, 1)
})

test('the original of every mail is kept byte for byte, and duplicates are not', async (t) => {
  const lovedOne = await office.lovedOne()
  const small = plainMail('Small')
  const large = plainMail('Large', bulk(9_000_000))
  for (const mail of [small, large, small, large, `Received: from another.example\r\n${large}`])
    t.regex(await deliver(port, lovedOne.address, mail), /^250 /)
  const { stack, db } = office
  const rows = await findOpened(stack, db, 'messages', { lovedOneId: lovedOne.id })
  const pieces = await findOpened<{ _id: string; data: Buffer }>(stack, db, 'originals', {
    _id: { $regex: `/${lovedOne.id}/` },
  })
  pieces.sort((one, other) => (one._id < other._id ? -1 : 1))
  const originals = new Map(rows.map(({ subject, original }) => [subject, original]))
  t.is(sha256(originals.get('Small')), sha256(Buffer.from(`${small}\r\n`)))
  t.is(pieces.length, 2)
  t.is(sha256(Buffer.concat(pieces.map(({ data }) => data))), sha256(Buffer.from(`${large}\r\n`)))
  t.is(rows.length, 2)
})

test('a mail is authenticated soon after it arrives', async (t) => {
  const lovedOne = await office.lovedOne()
  await deliver(port, lovedOne.address, plainMail('Judge me'))
  const [message] = await office.messages(lovedOne)
  const request = { lovedOneId: lovedOne.id, messageId: message?.id ?? '' }
  const read = () => untilAnswered(() => office.inbox.getInboxMessage(request, { token: lovedOne.token }))
  const { authenticity } = await readUntil(read, (one) => one.authenticity?.spf !== 'pending')
  // The results depend on the machine's name server.
  const { spf = 'missing', dkim = 'missing', dmarc = 'missing', arc = 'missing', aligned = false } = authenticity ?? {}
  for (const result of [spf, dkim, dmarc, arc]) t.regex(result, /^(none|temperror)$/)
  t.false(aligned)
})

test.serial('while MongoDB is paused, mail is deferred, and delivery resumes afterwards', async (t) => {
  const lovedOne = await office.lovedOne()
  const deaths = office.stack.deaths('inbox')
  using early = await connectSmtp(port)
  await early.begin(lovedOne.address)
  using waiting = await connectSmtp(port)
  await waiting.say('EHLO clinic.example')
  await waiting.say('MAIL FROM:<desk@clinic.example>')
  await office.stack.pause('mongod')
  t.regex(await waiting.say(`RCPT TO:<${lovedOne.address}>`), /^451 4\.3\.0 /)
  const mail = plainMail('Put off')
  t.regex(await early.end(mail), /^451 4\.3\.0 /)
  office.stack.resume('mongod')
  await until(() => isTaken(deliver(port, lovedOne.address, mail)), 30_000)
  t.is((await office.messages(lovedOne)).length, 1)
  t.is(office.stack.deaths('inbox'), deaths)
})

test.serial('while MongoDB is down, mail is deferred, and accepted when it is back', async (t) => {
  const lovedOne = await office.lovedOne()
  using client = await connectSmtp(port)
  await client.begin(lovedOne.address)
  office.stack.kill('mongod')
  const mail = plainMail('Back again')
  const first = await client.end(mail)
  t.regex(first, /^(451 4\.3\.0|250) /)
  await until(() => isTaken(deliver(port, lovedOne.address, mail)), 30_000)
  t.is((await office.messages(lovedOne)).length, 1)
})

test.serial('a mail in progress at shutdown is still accepted', async (t) => {
  const lovedOne = await office.lovedOne()
  using idle = await connectSmtp(port)
  using client = await connectSmtp(port)
  await client.begin(lovedOne.address)
  const mail = plainMail('Last one', bulk(2_000_000))
  await client.write(mail.slice(0, 1_000_000))
  const restarted = office.stack.restart('inbox')
  t.regex(await idle.answer(), /^421 /)
  await client.write(mail.slice(1_000_000))
  t.regex(await client.end(''), /^250 /)
  await restarted
  t.is((await office.messages(lovedOne)).length, 1)
})

test.after('no mail content is in the log', async (t) => {
  t.notRegex(
    await readFile(office.stack.logs('inbox'), 'utf8'),
    /clinic\.example|santos|To all|Put off|family-inbox\.test|msg_|lo_/i,
  )
})

async function take<T>(count: number, next: () => Promise<T>): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) taken.push(await next())
  return taken
}

function code(answer: string): string {
  return answer.slice(0, 3)
}

function sha256(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')
}

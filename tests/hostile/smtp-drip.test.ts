import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { becomesTrue } from '../_wait.ts'
import { openPostOffice, type PostOffice } from '../inbox/_post-office.ts'
import { connectSmtp, deliver, plainMail, type SmtpClient } from '../inbox/_smtp-client.ts'
import { officeAtWork, workDuring } from './_others-at-work.ts'

const TIMEOUT_SECONDS = 5
const GIVE_UP_MS = 30_000

let office: PostOffice
let port: number

test.before(async () => {
  office = await openPostOffice({ serviceEnv: { SMTP_PATIENCE_SECONDS: `${TIMEOUT_SECONDS}` } })
  port = office.stack.smtpPort
})
test.after.always(() => office?.[Symbol.asyncDispose]())

for (const command of ['NOOP', 'RSET', 'VRFY x', 'EHLO clinic.example', 'MAIL FROM:<a@clinic.example>\r\nRSET'])
  test(`a client that only repeats ${command.replace('\r\n', ' and ')} is disconnected after its time`, async (t) => {
    using client = await connectSmtp(port, '127.0.0.2')
    await client.say('EHLO clinic.example')
    t.true(await isEnded(client, `${command}\r\n`))
  })

test('a message that arrives byte by byte is cut off after its time', async (t) => {
  const { address } = await office.lovedOne()
  using client = await connectSmtp(port, '127.0.0.2')
  t.regex(await client.begin(address), /^354 /)
  await workDuring(t, officeAtWork(office, await office.family()), async () => {
    if (!client.socket.closed) t.true(await isEnded(client, 'a'))
    else await sleep(500)
  })
})

test('a client that reads no replies is disconnected after its time', async (t) => {
  using client = await connectSmtp(port, '127.0.0.2')
  client.socket.pause()
  for (let burst = 0; burst < 20; burst += 1) client.socket.write('NOOP\r\n'.repeat(50_000))
  await sleep(TIMEOUT_SECONDS * 1000)
  client.socket.resume()
  t.true(await becomesTrue(async () => client.socket.closed, GIVE_UP_MS))
  t.regex(await deliver(port, (await office.lovedOne()).address, plainMail('Meanwhile')), /^250 /)
})

test('a mail server that delivers one message after the other stays connected', async (t) => {
  const { address } = await office.lovedOne()
  using client = await connectSmtp(port, '127.0.0.3')
  await client.say('EHLO clinic.example')
  const startedAt = Date.now()
  for (let nth = 0; Date.now() - startedAt < TIMEOUT_SECONDS * 2000; nth += 1) {
    await client.say('MAIL FROM:<desk@clinic.example>')
    await client.say(`RCPT TO:<${address}>`)
    t.regex(await client.say('DATA'), /^354 /)
    t.regex(await client.end(plainMail(`Letter ${nth}`)), /^250 /)
    await sleep(500)
  }
})

test('a host that is refused again and again waits a second for each refusal, and its good mail does not', async (t) => {
  const { address } = await office.lovedOne()
  const host = '127.0.0.4'
  const refuse = async (times: number) => {
    using client = await connectSmtp(port, host)
    await client.say('EHLO clinic.example')
    await client.say('MAIL FROM:<desk@clinic.example>')
    const startedAt = performance.now()
    for (let nth = 0; nth < times; nth += 1)
      t.regex(await client.say(`RCPT TO:<nobody-${nth}@elsewhere.example>`), /^550 /)
    return performance.now() - startedAt
  }
  // Four at a time: what is refused is forgotten again, one a second, and a machine that is busy refuses few in that time.
  for (let times = 0; times < 5; times += 1) await Promise.all(Array.from({ length: 4 }, () => refuse(4)))
  t.true((await refuse(2)) >= 1900)
  t.regex(await deliver(port, address, plainMail('A good one'), host), /^250 /)
})

/** Sends these bytes twice a second, until the server ends the connection. */
async function isEnded({ socket }: SmtpClient, bytes: string): Promise<boolean> {
  const drip = setInterval(() => socket.writable && socket.write(bytes), 500)
  const ended = await becomesTrue(async () => socket.closed || socket.readableEnded, GIVE_UP_MS)
  clearInterval(drip)
  return ended
}

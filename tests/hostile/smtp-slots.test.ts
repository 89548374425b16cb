import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openPostOffice, type PostOffice } from '../inbox/_post-office.ts'
import { connectSmtp, deliver, plainMail, type SmtpClient } from '../inbox/_smtp-client.ts'
import { officeAtWork, workDuring } from './_others-at-work.ts'

const MB = 1024 * 1024
const MAX_CONNECTIONS = 40

let office: PostOffice
let port: number

test.before(async () => {
  office = await openPostOffice({ serviceEnv: { SMTP_MAX_CONNECTIONS: `${MAX_CONNECTIONS}` } })
  port = office.stack.smtpPort
})
test.after.always(() => office?.[Symbol.asyncDispose]())

test.serial('hosts that open every connection they can leave some for the next host', async (t) => {
  const { address } = await office.lovedOne()
  const family = await office.family()
  const taken: SmtpClient[] = []
  t.teardown(() => taken.forEach(({ socket }) => void socket.destroy()))
  for (const host of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
    for (let tries = 0; tries < MAX_CONNECTIONS; tries += 1) {
      const client = await connectSmtp(port, host)
      if (client.greeting.startsWith('220')) taken.push(client)
      else client.socket.destroy()
    }
  t.true(taken.length > MAX_CONNECTIONS / 2, `${taken.length} were taken`)
  await workDuring(t, officeAtWork(office, family), async () => {
    t.regex(await deliver(port, address, plainMail('In between'), '127.0.0.5'), /^250 /)
  })
})

test.serial('large mails that never end do not block another family’s large mail', async (t) => {
  const [attacked, another] = [await office.family(), await office.family()]
  const [own, theirs] = [attacked.lovedOnes[0]?.address ?? '', another.lovedOnes[0]?.address ?? '']
  await sleep(500) // connections of the previous test have closed
  const stalled: SmtpClient[] = []
  t.teardown(() => stalled.forEach(({ socket }) => void socket.destroy()))
  for (let nth = 0; nth < 10; nth += 1) {
    const client = await connectSmtp(port, '127.0.0.2')
    stalled.push(client)
    await client.begin(own)
    await client.write(LARGE)
  }
  t.regex(await deliver(port, theirs, plainMail('Scans', LARGE), '127.0.0.3'), /^250 /)
  await workDuring(t, officeAtWork(office, another), () => sleep(1000))
  // Another sender's stalled mails are no reason to refuse small ones.
  t.regex(await deliver(port, own, plainMail('Small'), '127.0.0.2'), /^250 /)
})

test.serial('mails that are slow to parse do not delay another family’s mail', async (t) => {
  const [attacked, another] = [await office.family(), await office.family()]
  const [own, theirs] = [attacked.lovedOnes[0]?.address ?? '', another.lovedOnes[0]?.address ?? '']
  const expensive = '<table><tr><td>'.repeat(17_000)
  await workDuring(t, officeAtWork(office, another), async () => {
    const attack = Array.from({ length: 12 }, (_, nth) =>
      deliver(port, own, plainMail(`Slow ${nth}`, expensive, HTML), '127.0.0.2'),
    )
    let isOver = false
    const attacked = Promise.allSettled(attack).then(() => {
      isOver = true
    })
    await sleep(500)
    t.regex(await deliver(port, theirs, plainMail('Soon', '<p>See you on Monday</p>', HTML), '127.0.0.3'), /^250 /)
    t.false(isOver, 'it did not wait for the others')
    await attacked
  })
})

const HTML = ['MIME-Version: 1.0', 'Content-Type: text/html']
const LARGE = 'abcdefghij'
  .repeat(7)
  .concat('\r\n')
  .repeat((20 * MB) / 72)

import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { untilAnswered } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { type Family, openPostOffice, type PostOffice } from './_post-office.ts'
import { type SecondInbox, startSecondInbox } from './_second-inbox.ts'
import { connectSmtp, plainMail } from './_smtp-client.ts'

const LIMITS = { INBOX_MESSAGES_PER_HOUR: '12', WORKSPACE_STORAGE_MB: '1' }
const OPEN = 10

let sink: Sink
let office: PostOffice
let second: SecondInbox
let port: number

test.before(async () => {
  sink = await startMailSink()
  office = await openPostOffice({ env: { SMTP_URL: sink.url, ...LIMITS } })
  second = await startSecondInbox(office.stack, { env: { SMTP_URL: sink.url, ...LIMITS } })
  port = office.stack.smtpPort
})
test.after.always(async () => {
  await second?.[Symbol.asyncDispose]()
  await office?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

const text = (kilobytes: number) =>
  `${'a line of eighty characters '.repeat(3).slice(0, 78)}\r\n`.repeat(12.5 * kilobytes)
const addressOf = (family: Family, index = 0) => family.lovedOnes[index]?.address ?? ''
const storageOf = (family: Family) => untilAnswered(() => office.inbox.getStorage({}, { token: family.owner }))
const countOf = async (family: Family) =>
  (await Promise.all(family.lovedOnes.map((one) => office.messages({ ...one, token: family.owner })))).flat().length
/** Makes the last exact count two hours old. */
const letTimePass = ({ workspaceId }: Family) =>
  office.db
    .collection<{ _id: string }>('storage_use')
    .updateOne({ _id: workspaceId }, { $set: { countedAt: new Date(Date.now() - 7_200_000) } })

/** Deliveries that were deferred because the machine was busy; each may have counted. */
let putOff = 0

/** Delivers like a mail server: retries on 451. */
async function offer(smtpPort: number, address: string, mail: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const answer = await offerOnce(smtpPort, address, mail)
    if (!answer.startsWith('451') || tries === 20) return answer
    putOff += 1
    await sleep(500)
  }
}

async function offerOnce(smtpPort: number, address: string, mail: string): Promise<string> {
  using client = await connectSmtp(smtpPort)
  await client.say('EHLO clinic.example')
  await client.say('MAIL FROM:<desk@clinic.example>')
  const accepted = await client.say(`RCPT TO:<${address}>`)
  if (!accepted.startsWith('250')) return accepted
  await client.say('DATA')
  const answer = await client.end(mail)
  return answer
}

async function rcpt(address: string, size = ''): Promise<string> {
  using client = await connectSmtp(port)
  await client.say('EHLO clinic.example')
  await client.say(`MAIL FROM:<desk@clinic.example>${size}`)
  const answer = await client.say(`RCPT TO:<${address}>`)
  return answer.startsWith('451') ? rcpt(address, size) : answer
}

test.serial('an inbox over its hourly limit defers mail, and other inboxes are not affected', async (t) => {
  const family = await office.family(2)
  let taken = 0
  for (let full = false; !full; ) {
    const answer = await offer([port, second.smtpPort][taken % 2] ?? port, addressOf(family), plainMail(`${taken}`))
    full = answer.startsWith('452')
    if (!full) taken += 1
    t.true(taken <= 12)
  }
  t.true(taken + putOff >= 12, `${taken} and ${putOff}`)
  t.regex(await rcpt(addressOf(family)), /^452 4\.7\.28 /)
  t.regex(await offer(port, addressOf(family, 1), plainMail('Another loved one')), /^250 /)
  t.is(await countOf(family), taken + 1)
  const use = office.db.collection<StorageRow>('storage_use')
  const [row] = await use.find({ _id: family.workspaceId }).toArray()
  const [first] = Object.keys(row?.arrivals ?? {})
  await use.updateOne({ _id: family.workspaceId }, { $inc: { [`arrivals.${first}.hour`]: -1 } })
  t.regex(await offer(port, addressOf(family), plainMail('An hour later')), /^250 /)
})

test.serial(
  'a family with full storage gets no mail until space is freed, and other families are not affected',
  async (t) => {
    const [full, other] = await Promise.all([office.family(2), office.family()])
    for (const index of [0, 1, 0])
      t.regex(await offer(port, addressOf(full, index), plainMail('Large', text(300))), /^250 /)
    t.regex(await offer(port, addressOf(full), plainMail('Too large', text(300))), /^452 4\.2\.2 /)
    t.regex(await rcpt(addressOf(full), ' SIZE=300000'), /^452 4\.2\.2 /, 'refused before the mail is sent')
    t.regex(await rcpt(addressOf(full), ' SIZE=3000'), /^250 /)
    t.regex(await offer(port, addressOf(full), plainMail('Small')), /^250 /)
    t.regex(await offer(port, addressOf(other), plainMail('Large', text(300))), /^250 /)
    t.is(await countOf(full), 4)

    await office.db.collection('messages').deleteMany({ workspaceId: full.workspaceId, size: { $gt: 100_000 } })
    await letTimePass(full)
    t.regex(await offer(port, addressOf(full), plainMail('After some was deleted', text(300))), /^250 /)
    await letTimePass(full)
    const used = (await storageOf(full)).usedBytes
    t.true(used > 300_000 && used < 320_000, `${used}`)
  },
)

test.serial('concurrent mails on several replicas never exceed the storage', async (t) => {
  const family = await office.family(4)
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      offer([port, second.smtpPort][index % 2] ?? port, addressOf(family, index % 4), plainMail(`${index}`, text(100))),
    ),
  )
  const taken = answers.filter((answer) => answer.startsWith('250')).length
  t.true(taken > 0 && taken < OPEN, `${taken}`)
  t.true(answers.every((answer) => /^(250|452 4\.2\.2) /.test(answer)))
  const rows = await office.db.collection('messages').find({ workspaceId: family.workspaceId }).toArray()
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  t.is(rows.length, taken)
  t.true(bytes <= 1_000_000)
  const [row] = await office.db.collection<StorageRow>('storage_use').find({ _id: family.workspaceId }).toArray()
  t.true(row !== undefined && row.bytes >= bytes && row.bytes <= 1_000_000)
})

test.serial('a mail that is delivered again uses no more storage', async (t) => {
  const family = await office.family()
  const mail = plainMail('Again and again', text(200))
  for (let times = 0; times < 8; times += 1) t.regex(await offer(port, addressOf(family), mail), /^250 /)
  const { usedBytes, limitBytes, nearlyFull } = await storageOf(family)
  t.true(usedBytes > 200_000 && usedBytes < 210_000, `${usedBytes}`)
  t.is(limitBytes, 1_000_000)
  t.false(nearlyFull)
})

test.serial('mail stored before counting began is counted', async (t) => {
  const family = await office.family()
  t.regex(await offer(port, addressOf(family), plainMail('Early', text(300))), /^250 /)
  await office.db.collection<StorageRow>('storage_use').deleteOne({ _id: family.workspaceId })
  t.regex(await offer(port, addressOf(family), plainMail('Later', text(100))), /^250 /)
  const { usedBytes } = await storageOf(family)
  t.true(usedBytes > 400_000 && usedBytes < 420_000, `${usedBytes}`)
})

test.serial('only the owner is warned that storage is nearly full, once', async (t) => {
  const family = await office.family()
  const { owner, viewer } = await emailsOf(family)
  for (const size of [300, 300, 150])
    t.regex(await offer(port, addressOf(family), plainMail('Mail', text(size))), /^250 /)
  t.false((await storageOf(family)).nearlyFull)
  t.regex(await offer(port, addressOf(family), plainMail('The last straw', text(100))), /^250 /)
  const [warning] = await sink.waitFor(owner)
  t.regex(warning?.headers ?? '', /Subject: .*storage_is_nearly/)
  t.true((await storageOf(family)).nearlyFull)
  const use = office.db.collection<{ _id: string; warnedAt?: Date }>('storage_use')
  await until(async () => (await use.findOne({ _id: family.workspaceId }))?.warnedAt !== undefined)
  for (let more = 0; more < 4; more += 1)
    await offer([port, second.smtpPort][more % 2] ?? port, addressOf(family), plainMail('More'))
  await untilNoMailIsDue(office.stack, family.workspaceId)
  t.is(sink.mails.filter(({ to }) => to.includes(owner)).length, 1)
  t.is(sink.mails.filter(({ to, headers }) => to.includes(viewer) && headers.includes('storage')).length, 0)
})

test.serial('our own mail forwarded back is accepted but not shown; another family’s reply is shown', async (t) => {
  const [family, other] = await Promise.all([office.family(), office.family()])
  const own = (subject: string, headers: string[] = []) =>
    plainMail(subject, 'x', headers).replace(
      /^Message-ID: .*$/m,
      `Message-ID: <${'0a'.repeat(20)}@${office.stack.mailDomain}>`,
    )
  const loops = [
    own('1 new message for Rosa', ['Auto-Submitted: auto-generated']),
    own('Re: Your visit', [`Reply-To: <${addressOf(family)}>`]),
  ]
  for (const mail of loops) t.regex(await offer(port, addressOf(family), mail), /^250 /)
  t.is(await countOf(family), 0)
  t.regex(await offer(port, addressOf(family), own('Re: Ours', [`Reply-To: <${addressOf(other)}>`])), /^250 /)
  t.regex(await offer(port, addressOf(family), plainMail('A clinic’s own')), /^250 /)
  t.is(await countOf(family), 2)
})

async function emailsOf({ workspaceId }: Family): Promise<{ owner: string; viewer: string }> {
  await using mongo = await openDatabase(office.stack, 'care-circle')
  const members = await mongo.db().collection('members').find({ workspaceId }).sort({ joinedAt: 1 }).toArray()
  return { owner: members[0]?.email, viewer: members[1]?.email }
}

type StorageRow = { _id: string; bytes: number; arrivals: Record<string, unknown> }

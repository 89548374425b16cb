import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { type Family, openPostOffice, type PostOffice } from '../inbox/_post-office.ts'
import { connectSmtp, deliver, plainMail, type SmtpClient } from '../inbox/_smtp-client.ts'

const CONNECTIONS = 60
const FLOOD_MS = 8000
/** A busy machine floods longer, until there is enough work of others to judge. */
const MAX_FLOOD_MS = 60_000
const MIN_MAILS = 20
const MAX_P95_MS = 750
/** What a connection hears that was refused two hundred times. */
const CUT_OFF = '421 4.7.0 Too many errors'

let office: PostOffice

test.before(async () => {
  office = await openPostOffice({ processes: 'seven', env: { INBOX_MESSAGES_PER_HOUR: '300' } })
})
test.after.always(() => office?.[Symbol.asyncDispose]())

test('while one inbox is flooded, another family gets and reads its mail without delay', async (t) => {
  const target = await office.family()
  const family = await office.family()
  const flooding = new AbortController()
  const flood = Promise.all(
    Array.from({ length: CONNECTIONS }, (_, index) => pour(target.lovedOnes[0]?.address ?? '', flooding.signal, index)),
  )
  const startedAt = Date.now()
  const isOver = () => Date.now() - startedAt > (sent < MIN_MAILS ? MAX_FLOOD_MS : FLOOD_MS)
  await sleep(500)
  const reads: number[] = []
  const answers: string[] = []
  let sent = 0
  while (!isOver()) {
    answers.push(
      (await deliver(office.stack.smtpPort, family.lovedOnes[0]?.address ?? '', plainMail(`Ours ${sent}`))).slice(0, 3),
    )
    sent += 1
    reads.push(await timeToRead(family))
    await sleep(40)
  }
  flooding.abort()
  const codes = (await flood).flat()
  t.deepEqual([...new Set(answers)], ['250'])
  t.true(sent >= MIN_MAILS, `${sent}`)
  const p95 = reads.toSorted((a, b) => a - b)[Math.floor(reads.length * 0.95)] ?? 0
  t.log({ sent, p95: Math.round(p95), flood: tally(codes) })
  t.true(p95 < MAX_P95_MS, `${p95} ms`)
  t.is(await countOf(family), sent)
  t.true((await countOf(target)) <= 300)
  t.true(codes.includes('452'), 'the flood was stopped')
  t.deepEqual(
    codes.filter((code) => !['250', '451', '452', CUT_OFF].includes(code)),
    [],
  )
})

/** Sends mails one after the other, and connects again when the server ends a connection. Returns each response. */
async function pour(address: string, over: AbortSignal, seed: number): Promise<string[]> {
  const codes: string[] = []
  while (!over.aborted) {
    using client = await connectSmtp(office.stack.smtpPort)
    await client.say('EHLO flood.example')
    do codes.push(await pourOne(client, address, `${seed} ${codes.length}`))
    while (!over.aborted && codes.at(-1) !== CUT_OFF)
  }
  return codes
}

async function pourOne(client: SmtpClient, address: string, subject: string): Promise<string> {
  await client.say('MAIL FROM:<x@flood.example>')
  const accepted = await client.say(`RCPT TO:<${address}>`)
  // Pauses between mails: this machine is also the sender.
  await sleep(20)
  if (accepted === CUT_OFF) return CUT_OFF
  if (!accepted.startsWith('250')) {
    await client.say('RSET')
    return accepted.slice(0, 3)
  }
  await client.say('DATA')
  return (await client.end(plainMail(subject, 'Buy this. '.repeat(400)))).slice(0, 3)
}

async function timeToRead(family: Family): Promise<number> {
  const startedAt = performance.now()
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  await office.inbox.listInboxMessages({ lovedOneId, pageSize: 20, pageToken: '' }, { token: family.owner })
  return performance.now() - startedAt
}

async function countOf({ lovedOnes, owner }: Family): Promise<number> {
  const [lovedOne = { id: '', address: '' }] = lovedOnes
  return (await office.messages({ ...lovedOne, token: owner })).length
}

function tally(codes: string[]): Record<string, number> {
  return Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]))
}

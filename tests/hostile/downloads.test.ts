import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import anyTest, { type TestFn } from 'ava'
import { type Family, send, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { signIn } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { readMetric } from './_metrics.ts'
import { type Work, workDuring } from './_others-at-work.ts'

const MB = 1024 * 1024
const LARGE_BYTES = 19 * MB
const STALL_SECONDS = 20
/** Long before a download counts as stalled. */
const FREED_WITHIN_MS = 5000

/** A signed-in person and a mail of theirs with one large attachment. */
type Reader = { cookie: string; file: string; page: string; address: string }

const test = anyTest.serial as TestFn<{ f: Family; sink: Sink; attacker: Reader; family: Reader }>

test.before(async (t) => {
  const sink = await startMailSink()
  // Inbox alone, because its memory is measured.
  const f = await startFamily({
    processes: 'seven',
    env: { SMTP_URL: sink.url, STALLED_DOWNLOAD_SECONDS: `${STALL_SECONDS}` },
  })
  const attacker = await openReader(f, sink, await f.another())
  t.context = { f, sink, attacker, family: await openReader(f, sink, f.family) }
})
test.after.always(async (t) => {
  await t.context.f?.[Symbol.asyncDispose]()
  await t.context.sink?.[Symbol.asyncDispose]()
})

test('an aborted download, or a HEAD request, frees its memory', async (t) => {
  const { f, attacker, family } = t.context
  for (let round = 0; round < 10; round += 1) {
    const { response } = await begin(f, attacker)
    response.destroy()
    const head = await send(urlOf(f, attacker.file), { method: 'HEAD', headers: { cookie: attacker.cookie } })
    t.is(head.status, 200)
    t.is(head.headers['content-length'], `${LARGE_BYTES}`)
    t.is(head.text, '')
  }
  t.true(
    await becomesTrue(async () => (await heldBytes(f)) === 0, FREED_WITHIN_MS),
    `${await heldBytes(f)} bytes are held`,
  )
  const { status, length } = await download(f, family)
  t.deepEqual({ status, length }, { status: 200, length: LARGE_BYTES })
})

test('a stalled download does not block another family’s downloads, reading or mail', async (t) => {
  const { f, attacker, family } = t.context
  const stalled: { response: IncomingMessage }[] = []
  t.teardown(() => stalled.forEach(({ response }) => void response.destroy()))
  for (let nth = 0; nth < 8; nth += 1) stalled.push(await begin(f, attacker))
  const answers = stalled.map(({ response }) => response.statusCode)
  t.true(answers.includes(200) && answers.includes(429), answers.join())
  const dripping = stalled.filter(({ response }) => response.statusCode === 200)[0]?.response
  const drip = setInterval(() => dripping?.read(1), 1000)
  t.teardown(() => clearInterval(drip))
  const slow = download(f, family, 500_000)
  await workDuring(t, [reading(f, family)], () => sleep(1000))
  for (let round = 0; round < 3; round += 1) {
    t.like(await download(f, family), { status: 200, length: LARGE_BYTES })
    t.regex(await deliver(f.stack.smtpPort, family.address, plainMail(`In between ${round}`)), /^250 /)
  }
  const resident = (await readMetric(f.stack, 'inbox', 'process_resident_memory_bytes')) / MB
  t.true(resident < 700, `inbox has ${resident} MB`)

  // A slow reader stays connected; a stalled one is cut off and its memory freed.
  t.like(await slow, { status: 200, length: LARGE_BYTES })
  for (const { response } of stalled)
    if (response.statusCode === 200) await t.throwsAsync(lengthOf(response), { code: 'ECONNRESET' })
  t.true(await becomesTrue(async () => (await heldBytes(f)) === 0, FREED_WITHIN_MS))
})

test('someone who keeps downloading a file that is slow to decode does not delay another family', async (t) => {
  const { f, attacker, family } = t.context
  const headers = [
    'Content-Type: application/pdf',
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: quoted-printable',
  ]
  const text = '=41=42 \r\n'.repeat((8 * MB) / 9)
  const file = `${await receive(f, attacker, 'Slow file', { text, headers })}/files/0`
  await workDuring(t, [reading(f, family)], async () => {
    const starts = Array.from({ length: 2 }, () => begin(f, { ...attacker, file }))
    for (const { response } of await Promise.all(starts)) {
      t.true([200, 429, 503].includes(response.statusCode ?? 0), `${response.statusCode}`)
      response.destroy()
    }
    // This machine is also the attacker.
    await sleep(100)
  })
})

test('someone who keeps opening large designs does not block another family', async (t) => {
  const { f, attacker, family } = t.context
  const deep = design('<table><tr><td>'.repeat(20_000))
  const long = design(`<p>The visit is on Monday</p>${'<!-- long -->\r\n'.repeat(8000)}`)
  const attack = `${await receive(f, attacker, 'Deep', deep)}/original`
  const wanted = `${await receive(f, family, 'Long', long)}/original`
  const isRunning = new AbortController()
  const looks = Array.from({ length: 30 }, async () => {
    const statuses: number[] = []
    while (!isRunning.signal.aborted) statuses.push((await look(f, attacker, attack)).status)
    return statuses
  })
  await sleep(300)
  // Starting a thread may take longer than a call waits: the page then asks to open it again.
  const isShown = () => look(f, family, wanted).then(({ status, text }) => status === 200 && text.includes('Monday'))
  t.true(await becomesTrue(isShown, 20_000))
  isRunning.abort()
  for (const status of (await Promise.all(looks)).flat()) t.true([200, 429, 503].includes(status), `${status}`)
})

async function openReader(f: Family, sink: Sink, { people, lovedOnes }: DemoFamily<never>): Promise<Reader> {
  const [lovedOne] = lovedOnes
  const { cookie } = await signIn(f, sink, people.owner)
  const reader = { address: lovedOne?.inboxAddress ?? '', cookie, file: '', page: `/inbox/${lovedOne?.id}` }
  // On a busy machine the first mails may stay unread, since their threads start too slowly.
  for (let tries = 0; tries < 8; tries += 1) {
    const file = `${await receive(f, reader, `Scans ${tries}.`, LARGE)}/files/0`
    if ((await send(urlOf(f, file), { method: 'HEAD', headers: { cookie } })).status === 200) return { ...reader, file }
  }
  throw new Error('no mail could be read')
}

type Content = { text: string; headers: string[] }

/** @returns the URL of its page */
async function receive(f: Family, reader: Reader, subject: string, { text, headers }: Content): Promise<string> {
  const list = async () => (await send(urlOf(f, reader.page), { headers: { cookie: reader.cookie } })).text
  const mail = plainMail(subject, text, ['MIME-Version: 1.0', ...headers])
  let path: string | undefined
  const isThere = async () => {
    const [before = '', after] = (await list()).split(subject)
    path =
      after &&
      before
        .match(/href="(\/inbox\/[\w-]+\/[\w-]+)/g)
        ?.at(-1)
        ?.slice('href="'.length)
    return path !== undefined
  }
  for (let tries = 0; tries < 5 && path === undefined; tries += 1) {
    await deliver(f.stack.smtpPort, reader.address, mail)
    await becomesTrue(isThere, 5000)
  }
  return path ?? 'the mail did not arrive'
}

const LARGE: Content = {
  text: (
    Buffer.alloc(LARGE_BYTES, 'scan')
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\r\n'),
  headers: [
    'Content-Type: application/pdf; name="scan.pdf"',
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
  ],
}

const design = (text: string): Content => ({ text, headers: ['Content-Type: text/html'] })

function reading(f: Family, { cookie, page }: Reader): Work {
  const ask = () => send(urlOf(f, page), { headers: { cookie } })
  return { name: 'the inbox page', ask, isGood: ({ status }) => status === 200 }
}

function look(f: Family, { cookie }: Reader, path: string) {
  return send(urlOf(f, path), { headers: { cookie } })
}

/** Starts a download on its own connection without reading it. */
async function begin(f: Family, { cookie, file }: Reader): Promise<{ response: IncomingMessage }> {
  const outgoing = request(urlOf(f, file), { headers: { cookie }, agent: false })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  return { response }
}

/** @param bytesPerSecond reading speed; unlimited when absent */
async function download(f: Family, reader: Reader, bytesPerSecond = Number.POSITIVE_INFINITY) {
  const { response } = await begin(f, reader)
  return { length: await lengthOf(response, bytesPerSecond), status: response.statusCode }
}

async function lengthOf(response: IncomingMessage, bytesPerSecond = Number.POSITIVE_INFINITY): Promise<number> {
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (bytesPerSecond < Number.POSITIVE_INFINITY) await sleep((1000 * chunk.length) / bytesPerSecond)
  }
  return length
}

const heldBytes = ({ stack }: Family) => readMetric(stack, 'inbox', 'family_inbox_mail_memory_bytes')

const urlOf = ({ stack }: Family, path: string) => new URL(path, stack.inboxUrl).href

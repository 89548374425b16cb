import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import anyTest, { type TestFn } from 'ava'
import { createTransport } from 'nodemailer'
import { openDatabase } from '../_database.ts'
import { type SunkMail, startMailSink, type Verdict } from '../_mail-sink.ts'
import { ops } from '../event-pipe/_ops.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'

const test = anyTest.serial as TestFn<{ stack: Stack; cleanUp: AsyncDisposableStack }>

const SELECTOR = { DKIM_SELECTOR: 'inbox' }
const DOMAIN = 'family-inbox.test'

/** What the provider does with a mail: by default, it brings it to the MX of its recipient, which is the installation itself. */
let carry: (mail: SunkMail) => Promise<Verdict>
const bring =
  (stack: Stack, change = (raw: string) => raw) =>
  async (mail: SunkMail) => {
    const provider = createTransport({ host: '127.0.0.1', port: stack.smtpPort, ignoreTLS: true })
    await provider.sendMail({ envelope: { from: mail.from, to: mail.to }, raw: change(mail.raw) })
    return undefined
  }

test.before(async (t) => {
  const cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'fake-dns-'))
  cleanUp.defer(() => rm(folder, { recursive: true }))
  const texts = join(folder, 'texts.json')
  const sink = cleanUp.use(await startMailSink((mail) => carry(mail)))
  const serviceEnv = {
    NODE_OPTIONS: `--import=${new URL('../promises/_fake-dns.ts', import.meta.url)}`,
    FAKE_TEXTS_FILE: texts,
  }
  await writeFile(texts, '{}')
  const env = { SMTP_URL: sink.url, ...SELECTOR }
  const stack = cleanUp.use(await startStack({ separate: ['inbox'], serviceEnv, env }))
  const { json: key } = await ops(stack, ['dkim'], SELECTOR)
  const spf = 'v=spf1 ip4:127.0.0.0/8 -all'
  await writeFile(
    texts,
    JSON.stringify({ [key.name]: key.value, [DOMAIN]: spf, [`_dmarc.${DOMAIN}`]: 'v=DMARC1; p=reject' }),
  )
  t.context = { stack, cleanUp }
})
test.after.always((t) => t.context.cleanUp?.disposeAsync())

type Found = { check: string; state: string; says: string; todo?: string }

async function testMail(stack: Stack, wait = '60s') {
  const { code, json } = await ops(stack, ['test-mail', '--wait', wait], SELECTOR)
  const findings = json.findings as Found[]
  return { code, findings, states: findings.map(({ check, state }) => `${state} ${check}`) }
}

test('an operator reads that receivers see valid SPF, DKIM and DMARC, without any family', async (t) => {
  const { stack } = t.context
  carry = bring(stack)
  const { code, states, findings } = await testMail(stack)
  t.is(code, 0, JSON.stringify(findings))
  t.deepEqual(states, ['ok mail server', 'ok arrival', 'ok SPF', 'ok DKIM', 'ok DMARC'])
})

test('a provider that changes mail breaks its signature, and the operator reads that', async (t) => {
  const { stack } = t.context
  carry = bring(stack, (raw) => raw.replace('Nobody needs', 'Nobody  really needs'))
  const { code, findings } = await testMail(stack)
  t.is(code, 1)
  t.like(
    findings.find(({ check }) => check === 'DKIM'),
    { state: 'problem' },
  )
})

test('when the mail does not come back, the operator reads so after the time, and what to look at', async (t) => {
  const { stack } = t.context
  carry = async () => undefined
  const { code, findings } = await testMail(stack, '3s')
  t.is(code, 1)
  const arrival = findings.find(({ check }) => check === 'arrival')
  t.regex(arrival?.says ?? '', /^It did not come to test\+\w{26}@family-inbox\.test within 3 seconds/)
  t.regex(arrival?.todo ?? '', /MX/)
})

test('when the provider refuses it, the operator reads that', async (t) => {
  const { stack } = t.context
  carry = async () => ({ code: 550, text: 'Not you' })
  const { code, findings } = await testMail(stack)
  t.is(code, 1)
  t.regex(findings[0]?.says ?? '', /refused the test mail/)
})

test('nobody else can send to the address of a test, and nothing of the mail is kept', async (t) => {
  const { stack } = t.context
  let address = ''
  carry = async ({ to: [first = ''] }) => {
    address = first
    return undefined
  }
  await testMail(stack, '1s')
  t.regex(await deliver(stack.smtpPort, address, plainMail('Hello')), /^550 5\.7\.1 /)
  t.regex(await deliver(stack.smtpPort, `test+${'0'.repeat(26)}@${DOMAIN}`, plainMail('Hello')), /^550 5\.1\.1 /)
  await using mongo = await openDatabase(stack, 'inbox')
  t.is(await mongo.db().collection('messages').countDocuments({}), 0)
  const rows = await mongo.db().collection('delivery_tests').find().toArray()
  t.deepEqual([...new Set(rows.flatMap((row) => Object.keys(row)))].sort(), [
    '_id',
    'arrivedAt',
    'createdAt',
    'messageIdHeader',
    'seen',
  ])
})

import anyTest, { type TestFn } from 'ava'
import { authenticate } from 'mailauth'
import { type Family, startFamily } from '../_family.ts'
import { receiveLetter, submitFiles } from '../_letter.ts'
import { type Sink, type SunkMail, startMailSink } from '../_mail-sink.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { ops } from '../event-pipe/_ops.ts'

type World = { f: Family; sink: Sink; refused: SunkMail[]; owner: Visitor; record: { name: string; value: string } }

const test = anyTest.serial as TestFn<World>

const SELECTOR = { DKIM_SELECTOR: 'inbox' }
const SENDER = 'family-inbox.test'

test.before(async (t) => {
  const refused: SunkMail[] = []
  const sink = await startMailSink((mail, tries) => {
    if (!mail.to[0]?.endsWith('@clinic.example') || tries > 1) return undefined
    refused.push(mail)
    return { code: 451, text: 'Later' }
  })
  const f = await startFamily({ env: { SMTP_URL: sink.url, REPLY_UNDO_SECONDS: '5', ...SELECTOR } })
  const { json: record } = await ops(f.stack, ['dkim'], SELECTOR)
  t.context = { f, sink, refused, record, owner: await signIn(f, sink, f.family.people.owner) }
})
test.after.always(async (t) => {
  await t.context.f?.[Symbol.asyncDispose]()
  await t.context.sink?.[Symbol.asyncDispose]()
})

/** What a receiver finds out. DNS has the record that the operator copied, and a strict policy. */
async function asReceiver({ record }: World, raw: string) {
  const texts: Record<string, string> = {
    [record.name]: record.value,
    [`_dmarc.${SENDER}`]: 'v=DMARC1; p=reject; adkim=s',
  }
  const resolver = async (name: string, type: string) => {
    const text = type === 'TXT' ? texts[name] : undefined
    if (text !== undefined) return [text.match(/.{1,250}/g) ?? []]
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  }
  const sender = { ip: '192.0.2.1', helo: 'mail.example', sender: `bounces@${SENDER}` }
  const { dkim, dmarc } = await authenticate(raw, { ...sender, resolver, disableBimi: true })
  const [signature] = dkim.results
  return {
    dkim: signature?.status.result,
    domain: signature?.signingDomain,
    dmarc: dmarc === false ? undefined : dmarc.status.result,
    signedFields: signature?.signingHeaders?.keys?.toLowerCase().split(': ') ?? [],
  }
}

test('a sign-in code passes DKIM and, for the domain of From, a strict DMARC policy', async (t) => {
  const { f, sink } = t.context
  const [code] = await sink.waitFor(f.family.people.owner)
  const seen = await asReceiver(t.context, code?.raw ?? '')
  t.like(seen, { dkim: 'pass', domain: SENDER, dmarc: 'pass' })
  for (const field of ['from', 'subject', 'date', 'message-id', 'auto-submitted'])
    t.true(seen.signedFields.includes(field), field)
})

test('a mail that was changed on its way fails', async (t) => {
  const { f, sink } = t.context
  const [code] = await sink.waitFor(f.family.people.owner)
  const forged = code?.raw.replace(/^Subject: .*$/m, 'Subject: Pay here') ?? ''
  t.like(await asReceiver(t.context, forged), { dkim: 'fail', dmarc: 'fail' })
})

test('a reply with a file is signed as a whole, and a second attempt sends the same bytes', async (t) => {
  const { f, sink, owner, refused } = t.context
  const letter = await receiveLetter(f, owner)
  const bytes = Buffer.from(pdfOf(['BT ET'].concat(Array(50_000).fill('(Blood test.) Tj'))))
  const files = [{ name: 'Results.pdf', type: 'application/pdf', bytes }]
  const answer = await submitFiles(f, owner, `${letter.path}/reply`, { key: 'k', body: 'Here they are.' }, files)
  t.is(answer.status, 303, answer.text)
  const [mail] = await sink.waitFor(letter.sender)
  t.true((mail?.raw.length ?? 0) > bytes.length)
  t.like(await asReceiver(t.context, mail?.raw ?? ''), { dkim: 'pass', domain: SENDER, dmarc: 'pass' })
  t.is(refused.length, 1)
  t.true(refused[0]?.raw === mail?.raw, 'the same bytes')
})

test('without a selector, the operator learns which setting is missing', async (t) => {
  const { code, stderr } = await ops(t.context.f.stack, ['dkim'])
  t.is(code, 1)
  t.regex(stderr, /DKIM_SELECTOR is not set/)
})

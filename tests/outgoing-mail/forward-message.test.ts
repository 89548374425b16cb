import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import PostalMime, { type Attachment } from 'postal-mime'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { deliver } from '../inbox/_smtp-client.ts'

type World = { f: Guest; sink: Sink; owner: Visitor; coordinator: Visitor; viewer: Visitor }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  const f = await joinFamily('standard', { withMail: true })
  const { owner, coordinator, viewer } = f.family.people
  Object.assign(context, {
    f,
    sink: f.sink,
    owner: await signIn(f, f.sink, owner),
    coordinator: await signIn(f, f.sink, coordinator),
    viewer: await signIn(f, f.sink, viewer),
  })
})
test.after.always(async ({ context }) => {
  await context.f?.[Symbol.asyncDispose]()
})

const REPORT = Buffer.from(pdfOf(['BT ET']))

type Letter = { path: string; subject: string; raw: string; lovedOneId: string }

/** A letter of a clinic, with a file and a letter that ASCII does not have. */
async function receive({ f, owner }: World): Promise<Letter> {
  const subject = `Results ${randomText(8)}`
  const { id = '', inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  const raw = [
    'From: Clínica do Sol <desk@clinic.example>',
    'To: <rosa@almeida.example>',
    `Subject: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@clinic.example>`,
    'Date: Fri, 20 Nov 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    'The potassium is 4,1 mmol/l. Não mude nada.',
    '--b',
    'Content-Type: application/pdf; name=report.pdf',
    'Content-Disposition: attachment; filename=report.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    REPORT.toString('base64'),
    '--b--',
    '',
  ].join('\r\n')
  const answer = await deliver(f.stack.smtpPort, inboxAddress, raw)
  if (!answer.startsWith('250')) throw new Error(answer)
  const { text } = await owner.get(`/inbox/${id}`)
  const messageId = new RegExp(`/inbox/${id}/(msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(text)?.[1]
  return { path: `/inbox/${id}/${messageId}`, subject, raw, lovedOneId: id }
}

const bytesOf = (file: Attachment | undefined) => Buffer.from((file?.content as ArrayBuffer) ?? [])

const newAddress = () => `dr.${randomText(8)}@practice.example`
const keyIn = (text: string) => /name="key" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** Opens the form and sends it. */
async function forward(visitor: Visitor, { path }: Letter, fields: Record<string, string>) {
  const key = keyIn((await visitor.get(`${path}/forward`)).text)
  return visitor.submit(`${path}/forward`, { key, body: '', ...fields })
}

test('a letter goes to a doctor with its files, and says whose mail it is', async (t) => {
  const { sink, owner } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  const answer = await forward(owner, letter, { to, body: 'What do you think?', files: '1' })
  t.is(answer.status, 303, answer.text)
  const [sent] = await sink.waitFor(to)
  const mail = await PostalMime.parse(sent?.raw ?? '')
  t.is(mail.subject, `Fwd: ${letter.subject}`)
  t.regex(mail.text ?? '', /^What do you think\?\n\n-+ Forwarded message -+\n/)
  for (const part of [
    'From: Clínica do Sol <desk@clinic.example>',
    'Date: Fri, 20 Nov 2026 10:00:00 GMT',
    'To: rosa@almeida.example',
    'About: Rosa Almeida',
    'The potassium is 4,1 mmol/l. Não mude nada.',
  ])
    t.true(mail.text?.includes(part), part)
  t.is(mail.inReplyTo, undefined, 'its recipient knows nothing of the earlier mail')
  t.is(mail.attachments.length, 1)
  t.like(mail.attachments[0], { filename: 'report.pdf', mimeType: 'application/pdf' })
  t.true(bytesOf(mail.attachments[0]).equals(REPORT))
})

test('the original mail goes along as it came, byte for byte', async (t) => {
  const { sink, owner } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  t.is((await forward(owner, letter, { to, original: '1' })).status, 303)
  const [sent] = await sink.waitFor(to)
  const { attachments } = await PostalMime.parse(sent?.raw ?? '', { forceRfc822Attachments: true })
  t.deepEqual(
    attachments.map(({ mimeType }) => mimeType),
    ['message/rfc822'],
  )
  t.true(sent?.raw.includes(letter.raw.trimEnd()))
})

test('the family sees who forwarded it to whom, and that nobody has answered', async (t) => {
  const { f, coordinator, viewer } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  await forward(coordinator, letter, { to, files: '1', original: '1' })
  const { text } = await viewer.get(letter.path)
  t.regex(text.replaceAll(/<[^>]+>/g, ''), new RegExp(`forwarded this to ${to}, with its files and the original mail`))
  t.true(text.includes('No replies yet'))
  const list = (await viewer.get(`/inbox/${letter.lovedOneId}`)).text
  const row = list.slice(list.indexOf(letter.subject)).split('</li>')[0] ?? ''
  t.notRegex(row, /replied/i)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
})

test('what is undone is not sent, and its words are in the form again', async (t) => {
  const { f, sink, owner } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  await forward(owner, letter, { to, body: 'Please read “this” & call.', original: '1' })
  const page = await owner.get(letter.path)
  const reply = /name="reply" value="(rep_[^"]+)"/.exec(page.text)?.[1] ?? ''
  const undone = await owner.submit(`${letter.path}/undo`, { reply })
  t.is(undone.headers.location, `${letter.path}/forward`)
  const form = await owner.get(`${letter.path}/forward`)
  t.true(form.text.includes(`value="${to}"`))
  t.regex(form.text, /Please read “this” &(?:amp|#38); call\./)
  t.regex(form.text, /name="original" value="1" checked/)
  t.notRegex(form.text, /name="files" value="1" checked/)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.false(sink.mails.some((mail) => mail.to.includes(to)))
})

test('the same form sent twice forwards once, and another text of it asks first', async (t) => {
  const { f, sink, owner } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  const key = keyIn((await owner.get(`${letter.path}/forward`)).text)
  const form = { key, to, body: 'Once.', files: '1' }
  const answers = await Promise.all([form, form].map((fields) => owner.submit(`${letter.path}/forward`, fields)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  )
  const other = await owner.submit(`${letter.path}/forward`, { ...form, to: newAddress() })
  t.is(other.status, 422)
  t.regex(other.text, /You already forwarded it from this form/)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is(sink.mails.filter((mail) => mail.to.includes(to)).length, 1)
})

test('two people who forward at once both reach their recipients', async (t) => {
  const { sink, owner, coordinator } = t.context
  const letter = await receive(t.context)
  const recipients = [newAddress(), newAddress()] as const
  await Promise.all([
    forward(owner, letter, { to: recipients[0], files: '1' }),
    forward(coordinator, letter, { to: recipients[1] }),
  ])
  for (const to of recipients) t.is((await sink.waitFor(to)).length, 1)
})

test('an address of this service, and one that is none, are refused at their field', async (t) => {
  const { f, owner } = t.context
  const letter = await receive(t.context)
  for (const to of ['', 'dr', `${f.family.lovedOnes[1]?.inboxAddress}`]) {
    const answer = await forward(owner, letter, { to, body: 'My words.' })
    t.is(answer.status, 422, to)
    t.regex(answer.text, /id="to-error"/)
    t.true(answer.text.includes('My words.'))
  }
})

test('viewers, other families and assistants forward nothing', async (t) => {
  const { f, sink, owner, viewer } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  t.is((await viewer.submit(`${letter.path}/forward`, { to, body: '' })).status, 403)
  const other = await f.another()
  const stranger = await signIn(f, sink, other.people.owner)
  t.is((await stranger.get(`${letter.path}/forward`)).status, 404)
  t.is((await stranger.submit(`${letter.path}/forward`, { to, body: '', original: '1' })).status, 404)
  const { json } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tools: { name: string }[] = json.result.tools
  t.false(tools.some(({ name }) => name.includes('forward')))
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.false(sink.mails.some((mail) => mail.to.includes(to)))
  t.notRegex((await owner.get(letter.path)).text, /forwarded this/)
})

test('an answer to what was forwarded joins the conversation', async (t) => {
  const { f, sink, owner } = t.context
  const letter = await receive(t.context)
  const to = newAddress()
  await forward(owner, letter, { to })
  const [sent] = await sink.waitFor(to)
  const { messageId, replyTo = [] } = await PostalMime.parse(sent?.raw ?? '')
  const address = replyTo[0]?.address ?? ''
  const opinion = `Nothing to worry about ${randomText(8)}`
  const raw = [
    `From: <${to}>`,
    `Subject: Re: Fwd: ${letter.subject}`,
    `Message-ID: <${crypto.randomUUID()}@practice.example>`,
    `In-Reply-To: ${messageId}`,
    `References: ${messageId}`,
    '',
    opinion,
    '',
  ].join('\r\n')
  t.regex(await deliver(f.stack.smtpPort, address, raw), /^250/)
  const { text } = await readUntil(
    () => owner.get(letter.path),
    (page) => page.text.includes(opinion),
  )
  t.regex(text, /Message from|After this message/)
})

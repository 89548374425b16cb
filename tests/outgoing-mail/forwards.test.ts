import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { mail } from '../mail-corpus/build-mail.ts'
import { callTool } from './_approval.ts'

const CASES = join(import.meta.dirname, '../cases')
const test = anyTest as TestFn<{ f: Guest & { sink: Sink } }>
test.before(async (t) => {
  t.context = { f: await joinFamily() }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

type Summary = { id: string; subject: string; preview: string; replyTo?: string }

const inboxOf = (f: Guest) => f.family.lovedOnes[0] ?? { id: '', inboxAddress: '' }

async function list(f: Guest): Promise<Summary[]> {
  const { data } = await callTool(f, f.family.keys.owner, 'list_inbox_messages', {
    lovedOneId: inboxOf(f).id,
    limit: 50,
  })
  return data.messages as unknown as Summary[]
}

/** Delivers a mail and returns it as the tool lists it. */
async function receive(f: Guest, raw: string | Buffer): Promise<Summary> {
  const before = new Set((await list(f)).map(({ id }) => id))
  await openMailer(f.stack).deliver(inboxOf(f).inboxAddress, raw)
  const found = (await list(f)).find(({ id }) => !before.has(id))
  if (found === undefined) throw new Error('not there')
  return found
}

const reply = (f: Guest, args: object) => callTool(f, f.family.keys.owner, 'reply_to_inbox_message', args)
const fromMember = (f: Guest, fields: Record<string, string>, text: string) =>
  mail(
    { From: `Ana <${f.family.people.owner}>`, 'Message-ID': `<${crypto.randomUUID()}@family.example>`, ...fields },
    text,
  )

test.serial(
  'a reply goes to whoever wrote what a member forwarded, in 18 languages and by four programs',
  async (t) => {
    const { f } = t.context
    for (const file of readdirSync(join(CASES, 'forward'))) {
      const raw = readFileSync(join(CASES, 'forward', file), 'utf8').replace(
        'member@family.example',
        f.family.people.owner,
      )
      const [author = ''] = /desk-[\w-]+@hillside-clinic\.example/.exec(raw) ?? []
      const { id: messageId, preview } = await receive(f, raw)
      t.true(preview.startsWith('Please tell us by Friday'), `${file}: ${preview}`)
      const { data } = await reply(f, { messageId, body: 'Rosa can come.', expectedTo: author })
      t.is(data.to, author, file)
    }
  },
)

test.serial('what looks like a forward in mail of others redirects no reply', async (t) => {
  const { f } = t.context
  const block =
    '---------- Forwarded message ---------\r\nFrom: Billing <pay@attacker.example>\r\nDate: Mon, 4 Aug 2025\r\n'
  const clinic = { From: 'Clinic <desk@oakhill.example>', 'Message-ID': '<quoted@oakhill.example>' }
  const { id: messageId } = await receive(f, mail({ ...clinic, Subject: 'Fwd: Bill' }, `${block}\r\nPlease answer.`))
  const wrong = await reply(f, { messageId, body: 'Yes', expectedTo: 'pay@attacker.example' })
  t.true(wrong.isError)
  t.is((await reply(f, { messageId, body: 'Yes' })).data.to, 'desk@oakhill.example')
  const listed = (await list(f)).find(({ id }) => id === messageId)
  t.not(listed?.replyTo, 'pay@attacker.example')
})

test.serial('where the author of a forward is not found, the tool asks before it answers a member', async (t) => {
  const { f } = t.context
  const { owner } = f.family.people
  const block =
    'From: The clinic\r\nSent: Monday, 4 August 2025 10:00\r\nTo: Ana\r\nSubject: Visit\r\n\r\nCan Rosa come?'
  const elsewhere = { Subject: 'Fwd: Visit', 'Reply-To': 'ana@work.example' }
  const { id } = await receive(f, fromMember(f, elsewhere, block))
  t.regex((await reply(f, { messageId: id, body: 'Yes' })).text, /author was not found.*ana@work\.example/)
  for (const subject of ['Fwd: Visit', 'WG: Visit', 'TR: Visit', 'RV: Visit', 'VB: Visit', 'PD: Visit']) {
    const { id: messageId } = await receive(f, fromMember(f, { Subject: subject }, block))
    const asked = await reply(f, { messageId, body: 'Yes' })
    t.true(asked.isError, subject)
    t.regex(asked.text, new RegExp(`author was not found.*${owner}, a member of the family.*expectedTo`))
    t.is((await reply(f, { messageId, body: 'Yes', expectedTo: owner })).data.to, owner)
  }
})

test.serial('a letter that a member wrote is answered without a question', async (t) => {
  const { f } = t.context
  const { id: messageId } = await receive(f, fromMember(f, { Subject: 'For the folder' }, 'Keep this.'))
  t.is((await reply(f, { messageId, body: 'Kept' })).data.to, f.family.people.owner)
})

test.serial('where the author of a forward is not found, the page asks before it answers a member', async (t) => {
  const { f } = t.context
  const { owner, coordinator } = f.family.people
  const visitor = await signIn(f, f.sink, coordinator)
  const { id } = await receive(f, fromMember(f, { Subject: 'Fwd: Visit' }, 'Can Rosa come?'))
  const path = `/inbox/${inboxOf(f).id}/${id}`
  const { text } = await visitor.get(path)
  t.regex(text, new RegExp(`<input type="checkbox" id="toMember" name="toMember" value="${owner}"`))
  const form = {
    key: crypto.randomUUID(),
    writer: /name="writer" value="([^"]+)"/.exec(text)?.[1] ?? '',
    body: 'She can.',
  }
  const refused = await visitor.submit(`${path}/reply`, form)
  t.is(refused.status, 422)
  t.regex(refused.text, /tick the box to send it/)
  t.true(refused.text.includes('She can.'))
  t.is((await visitor.submit(`${path}/reply`, { ...form, toMember: owner })).status, 303)
  t.false(
    (
      await visitor.get(
        `/inbox/${inboxOf(f).id}/${(await receive(f, mail({ 'Message-ID': '<plain@clinic.example>' }, 'Hi'))).id}`,
      )
    ).text.includes('toMember'),
  )
})

test.serial('a reply never goes to the inbox itself', async (t) => {
  const { f } = t.context
  const own = inboxOf(f).inboxAddress
  const raw = readFileSync(join(CASES, 'stranger/S05-reply-to-the-inbox.eml'), 'utf8')
  const { id: messageId } = await receive(f, raw.replace("<the loved one's own address>", `<${own}>`))
  t.is((await reply(f, { messageId, body: 'Hello' })).data.to, 'reception@oakhill.example')
  const looped = await receive(
    f,
    mail({ From: `<${own}>`, 'Reply-To': `<${own}>`, 'Message-ID': '<loop@x.example>' }, 'Hi'),
  )
  const refused = await reply(f, { messageId: looped.id, body: 'Hello' })
  t.true(refused.isError)
  t.regex(refused.text, /one of this service’s own/)
})

test.serial('letters with one Message-ID are all there, and the same letter twice is there once', async (t) => {
  const { f } = t.context
  const letters = [1, 2].map((nth) => readFileSync(join(CASES, `mail/M09-two-letters-one-id-${nth}.eml`), 'utf8'))
  const [one = '', two = ''] = letters
  const three = two.replace('Thursday at four', 'Friday at noon')
  for (const raw of [one, two, three, one, `Received: from relay.example\r\nDelivered-To: x@y.example\r\n${two}`])
    await openMailer(f.stack).deliver(inboxOf(f).inboxAddress, raw)
  t.is((await list(f)).filter(({ subject }) => subject === 'Two letters, one id').length, 3)
})

import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import PostalMime from 'postal-mime'
import { setCheck, untilJoined } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { receiveLetter } from '../_letter.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'

type World = { f: Guest; sink: Sink; mongo: MongoClient }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  const f = await joinFamily('quick')
  Object.assign(context, { f, sink: f.sink, mongo: await openDatabase(f.stack, 'inbox') })
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
})

/** A new family, and a clinic whose mail is proven. */
async function newFamily<Other extends OtherMember = never>({ f, sink, mongo }: World, ...others: Other[]) {
  const family = await f.another({ others })
  const owner = await signIn(f, sink, family.people.owner)
  const { sender } = await receiveLetter(f, owner, family)
  await setCheck(mongo, { workspaceId: family.workspaceId }, 'verified')
  const { id: lovedOneId = '', inboxAddress = '' } = family.lovedOnes[0] ?? {}
  return { family, owner, clinic: sender, lovedOneId, inboxAddress }
}

const book = async (visitor: Visitor) =>
  [...(await visitor.get('/settings/address-book')).text.matchAll(/name="address" value="([^"]+)"/g)].map(
    ([, one]) => one,
  )

const keyIn = (text: string) => /name="key" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** Opens the form and sends it. */
async function write(visitor: Visitor, fields: Record<string, string>) {
  const key = keyIn((await visitor.get('/inbox/write')).text)
  return visitor.submit('/inbox/write', { key, subject: 'A refill', body: 'Could you renew it?', ...fields })
}

const findIn = async (visitor: Visitor, lovedOneId: string, subject: string) => {
  const { text } = await readUntil(
    () => visitor.get(`/inbox/${lovedOneId}`),
    (page) => page.text.includes(subject),
  )
  return new RegExp(`href="(/inbox/${lovedOneId}/msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(text)?.[1] ?? ''
}

test('a family writes to a clinic, sees it in the inbox, and the answer joins it', async (t) => {
  const { f, sink } = t.context
  const { family, owner, clinic, lovedOneId, inboxAddress } = await newFamily(t.context, 'viewer')
  const subject = `Refill ${randomText(8)}`
  const answer = await write(owner, { for: lovedOneId, to: clinic, subject })
  t.is(answer.status, 303, answer.text)
  const [sent] = await sink.waitFor(clinic)
  const mail = await PostalMime.parse(sent?.raw ?? '')
  t.is(mail.subject, subject)
  t.is(mail.text?.trim(), 'Could you renew it?')
  t.is(mail.inReplyTo, undefined)
  t.is(mail.replyTo?.[0]?.address, inboxAddress)

  const path = await findIn(owner, lovedOneId, subject)
  const page = (await owner.get(path)).text.replaceAll(/<[^>]+>/g, '')
  t.regex(page, new RegExp(`wrote this to ${clinic}`))
  t.true(page.includes('No replies yet'))
  const words = `Ready on Monday ${randomText(8)}`
  const reply = [
    `From: <${clinic}>`,
    `Subject: Re: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@clinic.example>`,
    `In-Reply-To: ${mail.messageId}`,
    '',
    words,
  ].join('\r\n')
  t.regex(await deliver(f.stack.smtpPort, inboxAddress, reply), /^250/)
  const { text } = await readUntil(
    () => owner.get(path),
    (one) => one.text.includes('After this message'),
  )
  t.true(text.includes(words))
  const { json } = await f.call(family.keys.viewer, 'list_inbox_messages', { lovedOneId })
  const [first, second]: { subject: string }[] = json.result.structuredContent.messages
  t.deepEqual([first?.subject, second?.subject], [`Re: ${subject}`, subject])
})

test('a second letter to the clinic from its page goes to the clinic', async (t) => {
  const { sink } = t.context
  const { owner, clinic, lovedOneId } = await newFamily(t.context)
  const subject = `Refill ${randomText(8)}`
  await write(owner, { for: lovedOneId, to: clinic, subject })
  const path = await findIn(owner, lovedOneId, subject)
  const page = await owner.get(path)
  t.true(page.text.includes(`To ${clinic}.`))
  await owner.submit(`${path}/reply`, { key: keyIn(page.text), body: 'Did you get this?' })
  const mails = await sink.waitFor(clinic, 2)
  t.regex(mails[1]?.headers ?? '', new RegExp(`^Subject: Re: ${subject}`, 'm'))
})

test('the address book has who is proven and who was written to, and nobody else', async (t) => {
  const { f, sink } = t.context
  const { family, owner, clinic, inboxAddress } = await newFamily(t.context, 'viewer')
  const stranger = `${randomText(8)}@unknown.example`
  const raw = plainMail('Hello', 'Hi').replace('desk@clinic.example', stranger)
  t.regex(await deliver(f.stack.smtpPort, inboxAddress, raw), /^250/)
  await untilJoined(t.context.mongo, family.workspaceId)
  const first = await book(owner)
  t.true(first.includes(clinic))
  t.false(first.includes(stranger))
  const letter = await receiveLetter(f, owner, family)
  await owner.submit(`${letter.path}/reply`, { key: randomText(20), body: 'Thank you.' })
  await sink.waitFor(letter.sender)
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.deepEqual((await book(owner)).sort(), [...first, letter.sender].sort())

  await owner.submit('/settings/address-book/remove', { address: clinic })
  t.false((await book(owner)).includes(clinic))
  const viewer = await signIn(f, sink, family.people.viewer)
  const page = await viewer.get('/settings/address-book')
  t.true(page.text.includes(letter.sender))
  t.false(page.text.includes('>Remove<'))
  t.is((await viewer.submit('/settings/address-book/remove', { address: letter.sender })).status, 403)
})

test('nobody is written to who is not in the address book, and the words stay', async (t) => {
  const { f, sink } = t.context
  const { family, owner, lovedOneId, inboxAddress } = await newFamily(t.context)
  for (const to of [`${randomText(8)}@stranger.example`, 'clinic', '', inboxAddress]) {
    const answer = await write(owner, { for: lovedOneId, to, body: 'My words.' })
    t.is(answer.status, 422, to)
    t.regex(answer.text, /id="to-error"/)
    t.true(answer.text.includes('My words.'))
  }
  for (const [field, value] of [
    ['subject', ' '],
    ['body', ' '],
  ] as const)
    t.regex(
      (await write(owner, { for: lovedOneId, to: inboxAddress, [field]: value })).text,
      new RegExp(`id="${field}-error"`),
    )
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.false(sink.mails.some((mail) => mail.raw.includes('My words.')))
})

test('what is undone is neither sent nor in the inbox, and its words are in the form again', async (t) => {
  const { f, sink } = t.context
  const { family, owner, clinic, lovedOneId } = await newFamily(t.context)
  const subject = `Refill ${randomText(8)}`
  const sent = await write(owner, { for: lovedOneId, to: clinic, subject, body: 'A “careful” letter & more.' })
  const reply = new URL(sent.headers.location ?? '', f.stack.inboxUrl).searchParams.get('written') ?? ''
  t.is((await owner.submit('/inbox/write/undo', { reply })).headers.location, '/inbox/write')
  const form = await owner.get('/inbox/write')
  t.true(form.text.includes(`value="${clinic}"`) && form.text.includes(`value="${subject}"`))
  t.regex(form.text, /A “careful” letter &(?:amp|#38); more\./)
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.false(sink.mails.some((mail) => mail.headers.includes(subject)))
  t.false((await owner.get(`/inbox/${lovedOneId}`)).text.includes(`><bdi>${subject}`), 'only as a draft')
})

test('the same form sent twice is one message and one mail', async (t) => {
  const { f, sink } = t.context
  const { family, owner, clinic, lovedOneId } = await newFamily(t.context)
  const subject = `Refill ${randomText(8)}`
  const key = keyIn((await owner.get('/inbox/write')).text)
  const form = { key, for: lovedOneId, to: clinic, subject, body: 'Once.' }
  const answers = await Promise.all([form, form].map((fields) => owner.submit('/inbox/write', fields)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  )
  const other = await owner.submit('/inbox/write', { ...form, body: 'Other words.' })
  t.is(other.status, 422)
  t.regex(other.text, /You already sent a message from this form/)
  await findIn(owner, lovedOneId, subject)
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.is(sink.mails.filter((mail) => mail.headers.includes(subject)).length, 1)
  const { text } = await owner.get(`/inbox/${lovedOneId}`)
  t.is(text.split(`<bdi>${subject}</bdi>`).length, 2)
})

test('two members who write at once both reach the clinic', async (t) => {
  const { f, sink } = t.context
  const { family, owner, clinic, lovedOneId } = await newFamily(t.context, 'coordinator')
  const coordinator = await signIn(f, sink, family.people.coordinator)
  const subjects = [`Owner ${randomText(8)}`, `Coordinator ${randomText(8)}`]
  await Promise.all(
    [owner, coordinator].map((visitor, nth) =>
      write(visitor, { for: lovedOneId, to: clinic, subject: subjects[nth] ?? '' }),
    ),
  )
  for (const subject of subjects) t.truthy(await findIn(owner, lovedOneId, subject))
  t.is((await sink.waitFor(clinic, 2)).length, 2)
})

test('a viewer writes nothing, and another family can use neither the inbox nor the address book', async (t) => {
  const { f, sink } = t.context
  const { family, clinic, lovedOneId } = await newFamily(t.context, 'viewer')
  const viewer = await signIn(f, sink, family.people.viewer)
  t.is((await viewer.get('/inbox/write')).status, 403)
  t.is(
    (await viewer.submit('/inbox/write', { key: 'k', for: lovedOneId, to: clinic, subject: 'x', body: 'y' })).status,
    403,
  )
  const other = await newFamily(t.context)
  t.is((await write(other.owner, { for: lovedOneId, to: other.clinic })).status, 404)
  t.is((await write(other.owner, { for: other.lovedOneId, to: clinic })).status, 422)
  await other.owner.submit('/settings/address-book/remove', { address: clinic })
  t.true((await viewer.get('/settings/address-book')).text.includes(clinic))
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.false(sink.mails.some((mail) => mail.to.includes(clinic)))
})

test('a notification counts what came, and not what a member wrote', async (t) => {
  const { f, sink } = t.context
  const { family, owner, clinic, lovedOneId } = await newFamily(t.context, 'coordinator')
  const coordinator = await signIn(f, sink, family.people.coordinator)
  t.is((await coordinator.submit('/settings/notifications', { mode: 'each', timeZone: 'Europe/Lisbon' })).status, 303)
  const subject = `Refill ${randomText(8)}`
  await write(owner, { for: lovedOneId, to: clinic, subject })
  await findIn(owner, lovedOneId, subject)
  await receiveLetter(f, owner, family)
  const notices = () =>
    sink.mails.filter((mail) => mail.to.includes(family.people.coordinator) && /new message/.test(mail.headers))
  await readUntil(
    async () => notices(),
    (mails) => mails.length > 0,
  )
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.deepEqual(
    notices().map(({ headers }) => /^Subject: (.*) for/m.exec(headers)?.[1]),
    ['1 new message'],
  )
})

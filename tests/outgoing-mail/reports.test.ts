import { createHash, generateKeyPairSync } from 'node:crypto'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { dkimSign } from 'mailauth'
import { type Collection, MongoClient } from 'mongodb'
import { type Answer, type Guest, joinFamily } from '../_family.ts'
import { type Letter, receiveLetter } from '../_letter.ts'
import type { Sink, SunkMail } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { startSecondInbox } from '../inbox/_second-inbox.ts'
import { messageIdOf, writeReport } from './_reports.ts'

type Row = { _id: string } & Record<string, unknown>
type World = {
  f: Guest
  sink: Sink
  mongo: MongoClient
  rows: (name: string) => Collection<Row>
  owner: Visitor
  coordinator: Visitor
}

const test = (anyTest as TestFn<World>).serial
const SENDER = 'care@family-inbox.test'
const KINDS = ['bounce', 'complaint'] as const
const DAY_MS = 86_400_000

test.before(async ({ context }) => {
  const f = await joinFamily()
  Object.assign(context, { f, sink: f.sink })
  context.mongo = await new MongoClient(f.stack.databaseUri('inbox')).connect()
  context.rows = (name) => context.mongo.db().collection<Row>(name)
  context.owner = await signIn(f, f.sink, f.family.people.owner)
  context.coordinator = await signIn(f, f.sink, f.family.people.coordinator)
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
})

type Answered = Letter & { replyId: string; mail: SunkMail }

async function reply({ f }: World, { messageId }: Letter, body: string): Promise<Answer> {
  for (;;) {
    const answer = await f.call(f.family.keys.owner, 'reply_to_inbox_message', { messageId, body })
    if (answer.json.error?.code !== -32_603) return answer
  }
}

/** Receives a letter from somebody new and answers it. */
async function answerLetter(world: World): Promise<Answered> {
  const { f, sink, rows, owner } = world
  const letter = await receiveLetter(f, owner)
  const { json } = await reply(world, letter, 'Yes, we can.')
  const { replyId } = json.result.structuredContent
  const [mail] = await sink.waitFor(letter.sender)
  await until(async () => (await rows('deliveries').findOne({ _id: replyId }))?.state === 'sent')
  return { ...letter, replyId, mail: mail as SunkMail }
}

const stopsOf = ({ f, rows }: World) => rows('stopped_recipients').find({ workspaceId: f.family.workspaceId }).toArray()
const stateOf = async ({ rows }: World, { replyId }: Answered) =>
  (await rows('deliveries').findOne({ _id: replyId }))?.state

test.afterEach(async ({ context: { f, rows } }) => {
  await rows('stopped_recipients').deleteMany({ workspaceId: f.family.workspaceId })
})

for (const kind of KINDS)
  test(`a ${kind} at the return path of our mail stops its recipient until a day that the family sees, or the owner allows it`, async (t) => {
    const world = t.context
    const { f, owner, coordinator } = world
    const letter = await answerLetter(world)
    await openMailer(f.stack).deliver(
      letter.mail.from.toUpperCase(),
      writeReport(kind, '<changed-by-a-relay@x.example>'),
    )
    t.is((await stopsOf(world))[0]?.reason, kind)
    t.is(await stateOf(world, letter), kind === 'bounce' ? 'failed' : 'sent')
    const refused = await reply(world, letter, 'Hello again')
    const words = kind === 'bounce' ? /came back as undeliverable/ : /asked for no more mail from your family/
    t.regex(refused.json.result.content[0].text, words)
    t.regex(
      refused.json.result.content[0].text,
      /Nothing is sent there until [A-Z][a-z]+ \d+, 20\d\d, unless your family’s owner/,
    )
    const page = await owner.get(letter.path)
    t.regex(page.text, words)
    t.regex(page.text, /We send nothing there until <time/)
    t.notRegex((await coordinator.get(letter.path)).text, /Allow mail to this address/)
    t.is((await coordinator.submit(`${letter.path}/allow`, { address: letter.sender })).status, 403)
    const allowed = await owner.submit(`${letter.path}/allow`, { address: letter.sender })
    t.is(allowed.status, 303)
    t.notRegex((await owner.get(letter.path)).text, /We send nothing there/)
    t.is((await reply(world, letter, 'Hello again')).json.result.structuredContent?.status, 'queued')
  })

test('reports that only name our mail stop nobody, wherever they arrive', async (t) => {
  const world = t.context
  const { f } = world
  const letter = await answerLetter(world)
  const other = (await f.another()).lovedOnes[0]?.inboxAddress ?? ''
  const own = f.family.lovedOnes[0]?.inboxAddress ?? ''
  for (const kind of KINDS)
    for (const address of [SENDER, own, other])
      await openMailer(f.stack).deliver(address, writeReport(kind, messageIdOf(letter.mail)))
  t.deepEqual(await stopsOf(world), [])
  t.is(await stateOf(world, letter), 'sent')
  t.is((await reply(world, letter, 'Hello again')).json.result.structuredContent?.status, 'queued')
})

test('a complaint about one mail, sent to the return path of another, is about the other', async (t) => {
  const world = t.context
  const [clinic, stranger] = [await answerLetter(world), await answerLetter(world)]
  await openMailer(world.f.stack).deliver(stranger.mail.from, writeReport('complaint', messageIdOf(clinic.mail)))
  t.is((await stopsOf(world)).length, 1)
  t.is((await reply(world, clinic, 'Hello again')).json.result.structuredContent?.status, 'queued')
  t.true((await reply(world, stranger, 'Hello again')).json.result.isError)
})

test('nobody can compute the Message-ID or the return path of our mail from what pages, tools and downloads show', async (t) => {
  const world = t.context
  const { f, rows } = world
  const { mail, replyId } = await answerLetter(world)
  const digest = createHash('sha256').update(replyId).digest('hex')
  const domain = mail.from.slice(mail.from.indexOf('@') + 1)
  t.not(messageIdOf(mail), `<${digest.slice(0, 40)}@${domain}>`)
  const guesses = [digest.slice(0, 30), messageIdOf(mail).slice(1, 31), '0'.repeat(30)]
  for (const guess of guesses)
    t.is(await openMailer(f.stack).offer(`bounces+${guess}@${domain}`, writeReport('bounce', '')), 550, guess)
  const stored = await rows('deliveries').findOne({ _id: replyId })
  t.false(JSON.stringify(stored).includes(mail.from.slice(8, 28)), 'nor from the database')
})

test('each mail has a return path of its own at the mail domain, while From stays the sender address', async (t) => {
  const { f, sink } = t.context
  const { mail } = await answerLetter(t.context)
  const guest = `${randomText(8)}@guest.example`
  await f.call(f.family.keys.owner, 'invite_family_member', { email: guest, role: 'viewer' })
  const [invitation] = await sink.waitFor(guest)
  const [code] = await sink.waitFor(f.family.people.owner)
  const paths = [mail, invitation, code].map((one) => one?.from ?? '')
  t.is(new Set(paths).size, 3)
  for (const path of paths) t.regex(path, /^bounces\+[0-9a-f]{30}@family-inbox\.test$/)
  for (const one of [mail, invitation, code]) t.regex(one?.headers ?? '', /^From: .*<care@family-inbox\.test>$/m)
})

test('a return path accepts only reports', async (t) => {
  const { mail } = await answerLetter(t.context)
  const letter = 'From: a@b.example\r\nSubject: Hello\r\n\r\nHello\r\n'
  t.is(await openMailer(t.context.f.stack).offer(mail.from, letter), 550)
})

test('a stop ends after a while, and a bounce does not shorten a complaint', async (t) => {
  const world = t.context
  const { f, rows } = world
  const letter = await answerLetter(world)
  for (const kind of ['complaint', 'bounce'] as const)
    await openMailer(f.stack).deliver(letter.mail.from, writeReport(kind, ''))
  const [stop] = await stopsOf(world)
  t.is(stop?.reason, 'complaint')
  const days = (Number(stop?.expiresAt) - Date.now()) / DAY_MS
  t.true(days > 179 && days <= 180, `${days}`)
  await rows('stopped_recipients').updateOne({ _id: String(stop?._id) }, { $set: { expiresAt: new Date() } })
  t.is((await reply(world, letter, 'Hello again')).json.result.structuredContent?.status, 'queued')
})

test('a bounce of mail that an older version sent marks it as failed, and stops nobody', async (t) => {
  const world = t.context
  const { f, rows } = world
  const letter = await answerLetter(world)
  await rows('deliveries').updateOne({ _id: letter.replyId }, { $unset: { returnPathHash: 1 } })
  await openMailer(f.stack).deliver(SENDER, writeReport('complaint', messageIdOf(letter.mail)))
  t.is(await stateOf(world, letter), 'sent')
  await openMailer(f.stack).deliver(SENDER, writeReport('bounce', messageIdOf(letter.mail)))
  t.is(await stateOf(world, letter), 'failed')
  t.deepEqual(await stopsOf(world), [])
})

test('a feedback loop that the operator registered is believed if it proves its domain', async (t) => {
  const world = t.context
  const { f } = world
  const letter = await answerLetter(world)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const zone = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
  const resolveDns = async (name: string, type: string) => {
    if (type === 'TXT' && name === 's1._domainkey.loop.example') return [[zone]]
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  }
  await using inbox = await startSecondInbox(f.stack, {
    env: { FEEDBACK_DOMAINS: 'other.example,loop.example' },
    resolveDns,
  })
  const raw = writeReport('complaint', messageIdOf(letter.mail), 'abuse@loop.example')
  await openMailer(inbox).deliver(SENDER, raw)
  t.deepEqual(await stopsOf(world), [], 'unsigned')
  const signed = async (signingDomain: string) => {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const signer = { signingDomain, selector: 's1', privateKey: pem }
    return (await dkimSign(raw, { ...signer, signatureData: [signer] })).signatures + raw
  }
  await openMailer(inbox).deliver(SENDER, await signed('evil.example'))
  t.deepEqual(await stopsOf(world), [], 'signed by somebody else')
  await openMailer(f.stack).deliver(SENDER, await signed('loop.example'))
  t.deepEqual(await stopsOf(world), [], 'not registered')
  await openMailer(inbox).deliver(SENDER, await signed('loop.example'))
  t.is((await stopsOf(world))[0]?.reason, 'complaint')
})

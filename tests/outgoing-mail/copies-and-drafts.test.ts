import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import PostalMime from 'postal-mime'
import { setCheck } from '../_checked.ts'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { filesOf, type Letter, receiveLetter, submitFiles } from '../_letter.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import type { FamilyOptions } from '../_shared-stack.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { deliver } from '../inbox/_smtp-client.ts'
import { writeReport } from './_reports.ts'

type World = { f: Guest; sink: Sink; mongo: MongoClient }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  const f = await joinFamily('standard')
  Object.assign(context, { f, sink: f.sink, mongo: await openDatabase(f.stack, 'inbox') })
})
test.after.always(async ({ context }) => {
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
})

/** A new family with letters of proven senders. */
async function newFamily<Other extends OtherMember = never>(
  { f, sink, mongo }: World,
  { senders = 2, ...options }: FamilyOptions<Other> & { senders?: number } = {},
) {
  const family = await f.another(options)
  const owner = await signIn(f, sink, family.people.owner)
  const letters: Letter[] = []
  for (let nth = 0; nth < senders; nth += 1) letters.push(await receiveLetter(f, owner, family))
  await setCheck(mongo, { workspaceId: family.workspaceId }, 'verified')
  const { id: lovedOneId = '', inboxAddress = '' } = family.lovedOnes[0] ?? {}
  const [letter, other] = letters as [Letter, Letter]
  return { family, owner, letter, other, letters, lovedOneId, inboxAddress }
}

const keyIn = (text: string) => /name="key" value="([^"]+)"/.exec(text)?.[1] ?? ''
const plain = (text: string) => text.replaceAll(/<[^>]+>/g, '')
const repliesIn = ({ mongo }: World) => mongo.db().collection<{ _id: string }>('replies')

async function write(visitor: Visitor, fields: Record<string, string>) {
  const key = keyIn((await visitor.get('/inbox/write')).text)
  return visitor.submit('/inbox/write', { key, subject: 'A refill', body: 'Could you renew it?', ...fields })
}

async function reply(visitor: Visitor, { path }: Letter, fields: Record<string, string>) {
  return visitor.submit(`${path}/reply`, { key: randomText(20), body: 'Thank you.', ...fields })
}

const untilPage = (visitor: Visitor, path: string, words: string) =>
  readUntil(
    async () => plain((await visitor.get(path)).text),
    (text) => text.includes(words),
  )

test('a reply with a copy is one mail for each, its bounce says whose, and the others still get the next', async (t) => {
  const { f, sink } = t.context
  const { family, owner, letter, other, inboxAddress } = await newFamily(t.context)
  const answer = await reply(owner, letter, { cc: ` ${other.sender.toUpperCase()} , ${letter.sender}` })
  t.is(answer.status, 303, answer.text)
  const [mail] = await sink.waitFor(letter.sender)
  const [copy] = await sink.waitFor(other.sender)
  for (const one of [mail, copy]) {
    const read = await PostalMime.parse(one?.raw ?? '')
    t.deepEqual(
      [read.to, read.cc].map((some) => some?.map(({ address }) => address)),
      [[letter.sender], [other.sender]],
    )
  }
  const { messageId } = await PostalMime.parse(copy?.raw ?? '')
  t.is((await PostalMime.parse(mail?.raw ?? '')).messageId, messageId)
  t.not(copy?.from, mail?.from)
  await untilPage(owner, letter.path, `with a copy to ${other.sender}`)

  // Whoever got the copy may answer.
  const words = `I agree ${randomText(8)}`
  const head = [`From: <${other.sender}>`, 'Subject: Re: it', `Message-ID: <${randomText(12)}@clinic.example>`]
  const raw = [...head, `In-Reply-To: ${messageId}`, '', words].join('\r\n')
  t.regex(await deliver(f.stack.smtpPort, inboxAddress, raw), /^250/)
  await setCheck(t.context.mongo, { workspaceId: family.workspaceId }, 'verified')
  await untilPage(owner, letter.path, words)

  await openMailer(f.stack).deliver(copy?.from ?? '', writeReport('bounce', messageId ?? ''))
  const page = await untilPage(owner, letter.path, 'Not delivered')
  t.regex(page, new RegExp(`${letter.sender}: Delivered[^<]*${other.sender}: Not delivered`, 's'))
  t.is((await reply(owner, letter, { body: 'Once more.', cc: other.sender })).status, 303)
  t.is((await sink.waitFor(letter.sender, 2)).length, 2)
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.is(sink.mails.filter(({ to }) => to.includes(other.sender)).length, 1)
})

test('a copy goes only to the address book: others are refused by name, and nothing is sent', async (t) => {
  const { f, sink } = t.context
  const { family, owner, letter, other, lovedOneId, inboxAddress, letters } = await newFamily(t.context, { senders: 6 })
  const stranger = `${randomText(8)}@stranger.example`
  const many = [...letters.slice(1).map(({ sender }) => sender), `${randomText(8)}@clinic.example`].join(',')
  const forward = { to: `${randomText(8)}@practice.example`, body: '', key: randomText(20) }
  for (const [cc, words] of [
    [`${other.sender}, ${stranger}`, `${stranger} is not in your family’s address book. Nothing was sent.`],
    [inboxAddress, `${inboxAddress} is an inbox of this service`],
    ['somebody', 'must be an email address'],
    [many, 'up to 5 addresses'],
  ] as const)
    for (const answer of [
      await reply(owner, letter, { cc }),
      await write(owner, { for: lovedOneId, to: letter.sender, cc }),
      await owner.submit(`${letter.path}/forward`, { ...forward, cc }),
    ]) {
      t.is(answer.status, 422)
      t.regex(answer.text, /id="cc-error"/)
      t.true(plain(answer.text).includes(words), words)
      t.true(answer.text.includes(cc))
    }
  const elsewhere = await newFamily(t.context)
  t.is((await reply(elsewhere.owner, elsewhere.letter, { cc: letter.sender })).status, 422)
  const args = { messageId: letter.messageId, body: 'Hello', cc: [other.sender] }
  const { json } = await f.call(family.keys.owner, 'reply_to_inbox_message', args)
  t.true(json.result.isError)
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.false(
    sink.mails.some(({ to }) => [other.sender, letter.sender, stranger, forward.to].some((one) => to.includes(one))),
  )
})

test('a new message keeps its words, its copies and its file until it is sent, undone or discarded', async (t) => {
  const { f, sink, mongo } = t.context
  const { family, owner, letter, other, lovedOneId } = await newFamily(t.context, { others: ['coordinator'] })
  const subject = `Refill ${randomText(8)}`
  const file = { name: 'scan.pdf', bytes: Buffer.from(pdfOf(['BT ET'])) }
  const key = keyIn((await owner.get('/inbox/write')).text)
  const fields = { key, for: lovedOneId, to: letter.sender, cc: other.sender, subject, body: 'A “careful” letter.' }
  const saved = await submitFiles(f, owner, '/inbox/write/draft', fields, [file])
  t.is(saved.headers.location, '/inbox/write')
  t.true(plain((await owner.get('/')).text).includes(`Drafts: New message “${subject}”`))
  const coordinator = await signIn(f, sink, family.people.coordinator)
  t.false((await coordinator.get('/inbox/write')).text.includes(subject))

  const kept = async () => {
    const { text } = await owner.get('/inbox/write')
    for (const words of [`value="${letter.sender}"`, `value="${other.sender}"`, `value="${subject}"`, 'scan.pdf'])
      t.true(text.includes(words), words)
    t.true(text.includes('A “careful” letter.'))
    return { key: keyIn(text), file: /name="file" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  }
  const form = { ...fields, ...(await kept()) }
  const sent = await owner.submit('/inbox/write', form)
  t.is(sent.status, 303, sent.text)
  t.false((await owner.get('/inbox/write')).text.includes(subject))
  const undo = new URL(sent.headers.location ?? '', f.stack.inboxUrl).searchParams.get('written') ?? ''
  await owner.submit('/inbox/write/undo', { reply: undo })
  const again = { ...fields, ...(await kept()) }
  const answers = await Promise.all([again, again].map((one) => owner.submit('/inbox/write', one)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  )
  for (const to of [letter.sender, other.sender]) {
    const [mail] = await sink.waitFor(to)
    t.true(filesOf(mail?.raw ?? '')[0]?.bytes.equals(file.bytes))
  }
  // A save that arrives late brings nothing back.
  await owner.submit('/inbox/write/draft', { ...again, typing: '1' })
  t.false((await owner.get('/inbox/write')).text.includes(subject))

  const search = await owner.submit('/inbox/search', { words: letter.sender, for: lovedOneId })
  const found = await readUntil(
    async () => plain((await owner.get(search.headers.location ?? '')).text),
    (text) => text.includes(subject),
  )
  t.true(found.includes(subject))
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.is(sink.mails.filter(({ headers }) => headers.includes(subject)).length, 2)

  await submitFiles(f, owner, '/inbox/write/draft', { key: randomText(20), subject: 'Other', body: '' }, [file])
  const discarded = await owner.submit('/inbox/write/draft', { key: randomText(20), subject: 'Other', discard: '1' })
  t.is(discarded.status, 303)
  const files = mongo.db().collection<{ _id: string }>('reply_files')
  t.is(await files.countDocuments({ _id: { $regex: `^${family.workspaceId}/` }, replyId: null }), 0)
  t.false((await owner.get('/')).text.includes('Drafts:'))
})

test('a forward that was begun is found again, with its recipient, words and choice of files', async (t) => {
  const { f, sink } = t.context
  const { family, owner, letter, other } = await newFamily(t.context, { others: ['viewer'] })
  const path = `${letter.path}/forward`
  const to = `${randomText(8)}@practice.example`
  const draft = { key: randomText(20), to, cc: other.sender, body: 'Please read “this”.', original: '1' }
  t.is((await owner.submit(`${path}/draft`, draft)).headers.location, path)
  const { text } = await owner.get(path)
  for (const words of [`value="${to}"`, `value="${other.sender}"`, 'Please read “this”.']) t.true(text.includes(words))
  t.regex(text, /name="original" value="1" checked/)
  t.true(plain((await owner.get('/')).text).includes('Drafts: Forward of'))
  t.is(/name="body"[^>]*>([^<]*)</.exec((await owner.get(letter.path)).text)?.[1]?.trim(), '', 'no draft of a reply')
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.is((await stranger.submit(`${path}/draft`, draft)).status, 404)
  const viewer = await signIn(f, sink, family.people.viewer)
  t.is((await viewer.submit(`${path}/draft`, draft)).status, 403)
  await owner.submit(path, { ...draft, key: keyIn(text) })
  for (const one of [to, other.sender]) t.is((await sink.waitFor(one)).length, 1)
  t.regex((await owner.get(path)).text, /name="to" type="email" value=""/)
})

test('a sent reply is deleted by its author or the owner, put back, and gone for good with its file', async (t) => {
  const { f, sink, mongo } = t.context
  const { family, owner, letter } = await newFamily(t.context, { others: ['coordinator', 'viewer'] })
  const coordinator = await signIn(f, sink, family.people.coordinator)
  const body = `Private ${randomText(8)}`
  const file = { name: 'scan.pdf', bytes: Buffer.from(pdfOf(['BT ET'])) }
  const key = randomText(20)
  await submitFiles(f, coordinator, `${letter.path}/reply`, { key, body }, [file])
  const row = await repliesIn(t.context).findOne({ workspaceId: family.workspaceId })
  const form = { reply: row?._id ?? '' }
  const remove = (visitor: Visitor) => visitor.submit(`${letter.path}/replies/delete`, form)
  const shows = async (visitor: Visitor) => (await visitor.get(letter.path)).text

  await remove(coordinator)
  t.true((await shows(owner)).includes(body), 'it is still held')
  await sink.waitFor(letter.sender)
  await untilNoMailIsDue(f.stack, family.workspaceId)
  const page = await shows(coordinator)
  t.true(page.includes('It doesn’t call back what was sent'))
  const viewer = await signIn(f, sink, family.people.viewer)
  t.is((await remove(viewer)).status, 403)
  await remove(await signIn(f, sink, (await f.another()).people.owner))
  t.true((await shows(owner)).includes(body))

  await Promise.all([remove(coordinator), remove(owner)])
  t.false((await shows(viewer)).includes(body))
  t.is((await viewer.get(`${letter.path}/replies/${form.reply}/0`)).status, 404)
  t.true((await shows(owner)).includes('1 deleted reply'))
  const putBack = (visitor: Visitor) => visitor.submit(`${letter.path}/replies/restore`, form)
  t.deepEqual(
    (await Promise.all([putBack(coordinator), putBack(owner)])).map(({ status }) => status),
    [303, 303],
  )
  t.true((await shows(viewer)).includes(body))
  for (let round = 0; round < 4; round += 1) await Promise.all([remove(owner), putBack(coordinator), putBack(owner)])
  await putBack(owner)
  t.true((await shows(viewer)).includes(body))

  await remove(owner)
  // The same form once more is the same reply.
  await submitFiles(f, coordinator, `${letter.path}/reply`, { key, body }, [file])
  await untilNoMailIsDue(f.stack, family.workspaceId)
  t.is(sink.mails.filter(({ to }) => to.includes(letter.sender)).length, 1)
  await repliesIn(t.context).updateOne({ _id: form.reply }, { $set: { purgeAt: new Date() } })
  await readUntil(
    () => repliesIn(t.context).countDocuments({ _id: form.reply }),
    (count) => count === 0,
  )
  const files = { _id: { $regex: `^${family.workspaceId}/` } }
  t.is(await mongo.db().collection<{ _id: string }>('reply_files').countDocuments(files), 0)
  t.is(await mongo.db().collection<{ _id: string }>('reply_file_pieces').countDocuments(files), 0)
  await coordinator.submit(`${letter.path}/replies/restore`, form)
  t.false((await shows(coordinator)).includes(body))
})

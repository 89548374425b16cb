import { connect } from 'node:net'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily, send } from '../_family.ts'
import { encodeForm, filesOf, type Letter, receiveLetter, submitFiles } from '../_letter.ts'
import type { Sink } from '../_mail-sink.ts'
import { pdfOf, pngOf } from '../_pdf-and-png.ts'
import { signIn, type Visitor } from '../_visitor.ts'

type World = { f: Guest; sink: Sink; owner: Visitor; mongo: MongoClient }

const test = anyTest.serial as TestFn<World>
const MB = 1024 * 1024

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const owner = await signIn(f, f.sink, f.family.people.owner)
  t.context = { f, sink: f.sink, owner, mongo: await openDatabase(f.stack, 'inbox') }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

const picture = { name: 'Grüße from Oma.png', type: 'image/png', bytes: Buffer.from(pngOf(900, 700)) }
/** More than two pieces. */
const paper = {
  name: 'Referral.pdf',
  type: 'text/html',
  bytes: Buffer.concat([Buffer.from(pdfOf(['BT ET'])), Buffer.alloc(2.5 * MB, randomText(1000))]),
}

const fields = (body: string) => ({ key: randomText(20), body })
const rowsOf = ({ mongo, f }: World) =>
  mongo
    .db()
    .collection<{ _id: string }>('reply_files')
    .find({ _id: { $gte: `${f.family.workspaceId}/`, $lt: `${f.family.workspaceId}0` } })
    .toArray()

async function bytesUsed({ mongo, f }: World): Promise<number> {
  const row = await mongo
    .db()
    .collection<{ _id: string; bytes: number }>('storage_use')
    .findOne({ _id: f.family.workspaceId })
  return row?.bytes ?? 0
}

/** Adds a file as attach.js does. */
async function add({ f, owner }: World, { path }: Letter, file: typeof picture) {
  return submitFiles(f, owner, `${path}/attachments`, { key: 'k' }, [file], 'application/json')
}

test('a picture and a PDF of a reply arrive byte for byte, and the family sees what was sent', async (t) => {
  const { f, sink, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const answer = await submitFiles(f, owner, `${letter.path}/reply`, fields('Here they are.'), [picture, paper])
  t.is(answer.status, 303, answer.text)
  const [mail] = await sink.waitFor(letter.sender)
  const files = filesOf(mail?.raw ?? '')
  t.is(files.length, 2)
  const [first, second] = files
  t.is(first?.type, 'image/png')
  t.true(first?.bytes.equals(picture.bytes))
  t.is(second?.type, 'application/pdf', 'our type, not the browser’s')
  t.true(second?.bytes.equals(paper.bytes))
  t.regex(mail?.raw ?? '', /Here they are\./)

  const viewer = await signIn(f, sink, f.family.people.viewer)
  const page = await viewer.get(letter.path)
  t.true(page.text.includes('Grüße from Oma.png') && page.text.includes('Referral.pdf'))
  const [link = ''] = page.text.match(/\/inbox\/[^"]+\/replies\/[^"]+\/1/) ?? []
  const download = await fetch(f.stack.inboxUrl + link, { headers: { cookie: viewer.cookie } })
  t.is(download.headers.get('content-type'), 'application/pdf')
  t.regex(download.headers.get('content-disposition') ?? '', /^attachment; filename=.?Referral\.pdf/)
  t.true(Buffer.from(await download.arrayBuffer()).equals(paper.bytes))
})

test('the same form sent twice, with its files, sends one mail', async (t) => {
  const { f, sink, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const before = (await rowsOf(t.context)).length
  const form = fields('Once, please.')
  const answers = [
    await submitFiles(f, owner, `${letter.path}/reply`, form, [picture]),
    await submitFiles(f, owner, `${letter.path}/reply`, form, [picture]),
  ]
  t.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  )
  await sink.waitFor(letter.sender)
  t.is((await rowsOf(t.context)).length, before + 1, 'the second copy is deleted')
  const other = await submitFiles(f, owner, `${letter.path}/reply`, form, [paper])
  t.is(other.status, 422)
  t.regex(other.text, /You already sent a reply from this form/)
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is((await sink.waitFor(letter.sender)).length, 1)
})

test('programs and pages that call themselves pictures or PDFs are refused, and the text stays', async (t) => {
  const { f, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const before = await rowsOf(t.context)
  for (const file of [
    { name: 'report.pdf', type: 'application/pdf', bytes: Buffer.from('MZ\x90\x00 a program') },
    { name: 'scan.png', type: 'image/png', bytes: Buffer.from('<!doctype html><script>alert(1)</script>') },
    { name: 'nothing.png', type: 'image/png', bytes: Buffer.alloc(0) },
  ]) {
    const answer = await submitFiles(f, owner, `${letter.path}/reply`, fields('My text.'), [file])
    t.is(answer.status, 422)
    t.regex(answer.text, /You can send JPEG, PNG, GIF and WebP pictures, and PDFs|This file is empty/)
    t.true(answer.text.includes('My text.'))
    const added = await add(t.context, letter, file)
    t.is(added.status, 400)
    t.regex(added.json.error.message, new RegExp(`^${file.name}: `))
  }
  t.deepEqual(await rowsOf(t.context), before)
})

test('files that are too large together are refused before they were read, and the text stays', async (t) => {
  const { f, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const { type, bytes } = await encodeForm({ ...fields('My long text.') }, [{ name: 'a.pdf', bytes: paper.bytes }])
  const ask = (claimed: number) =>
    beginOnly(f, `${letter.path}/reply`, owner, { type, length: claimed }, bytes.subarray(0, 100_000))
  const answer = await ask(21 * MB)
  t.regex(answer, /^HTTP\/1\.1 422 /)
  t.true(answer.includes('Files can be up to 20 MB together.') && answer.includes('My long text.'))
  const huge = await ask(200 * MB)
  t.regex(huge, /^HTTP\/1\.1 413 /)
  t.true(huge.includes('Files can be up to 20 MB together'))
  const sized = { name: 'a.pdf', type: '', bytes: Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(11 * MB)]) }
  t.is((await add(t.context, letter, sized)).status, 200)
  const second = await add(t.context, letter, sized)
  t.is(second.status, 400, 'together with those that are there')
  t.regex(second.json.error.message, /up to 20 MB together/)
})

/** Sends the beginning of a request and waits for its answer. */
function beginOnly(
  f: Guest,
  path: string,
  { cookie }: Visitor,
  { type, length }: { type: string; length: number },
  bytes: Uint8Array,
): Promise<string> {
  const { hostname, port, host, origin } = new URL(f.stack.inboxUrl)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    const done = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(1500, done).on('error', done).on('close', done)
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\nAccept: text/html\r\n` +
        `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
    )
    socket.write(bytes)
  })
}

test('an upload that is broken off leaves nothing, and frees its storage', async (t) => {
  const { f, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const [before, used] = [(await rowsOf(t.context)).length, await bytesUsed(t.context)]
  const { type, bytes } = await encodeForm({ key: 'k' }, [{ name: 'a.pdf', bytes: paper.bytes }])
  const { hostname, port, host, origin } = new URL(f.stack.inboxUrl)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(
    `POST ${letter.path}/attachments HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: ${owner.cookie}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  )
  socket.write(bytes.subarray(0, 2.2 * MB))
  await becomes(async () => (await rowsOf(t.context)).length === before + 1)
  await becomes(async () => (await bytesUsed(t.context)) >= used + MB)
  socket.destroy()
  await becomes(async () => (await rowsOf(t.context)).length === before)
  await becomes(async () => (await bytesUsed(t.context)) === used)
  t.pass()
})

async function becomes(condition: () => Promise<boolean>): Promise<void> {
  await waitFor(async () => (await condition()) || undefined, {
    timeoutMs: 10_000,
    timeout: () => new Error(`not so: ${condition}`),
  })
}

test('nobody else can send or delete a file, not with its id and not from another family', async (t) => {
  const { f, sink, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const { id } = (await add(t.context, letter, picture)).json
  const other = await f.another()
  for (const [email, family] of [
    [other.people.owner, other],
    [f.family.people.coordinator, f.family],
  ] as const) {
    const stranger = await signIn(f, sink, email)
    const theirs = await receiveLetter(f, stranger, family)
    const stolen = await stranger.submit(`${theirs.path}/reply`, { ...fields('Mine now.'), file: id })
    t.is(stolen.status, 422)
    t.regex(stolen.text, /A file is no longer here/)
    await stranger.submit(`${theirs.path}/draft`, { ...fields('Gone now.'), remove: id })
    t.not((await stranger.get(letter.path)).text.includes(picture.name), true, 'drafts are their writer’s')
  }
  t.true((await owner.get(letter.path)).text.includes(picture.name))
  const elsewhere = await receiveLetter(f, owner)
  const moved = await owner.submit(`${elsewhere.path}/reply`, { ...fields('To someone else.'), file: id })
  t.is(moved.status, 422, 'a file belongs to the reply to one message')
  const viewer = await signIn(f, sink, f.family.people.viewer)
  const refused = await submitFiles(
    f,
    viewer,
    `${letter.path}/attachments`,
    { key: 'k' },
    [picture],
    'application/json',
  )
  t.is(refused.status, 400)
  t.regex(refused.json.error.message, /Viewers can read/)
})

test('files of a draft survive signing out, and undoing a reply gives them back with its text', async (t) => {
  const { f, sink } = t.context
  const before = await signIn(f, sink, f.family.people.coordinator)
  const letter = await receiveLetter(f, before)
  const { id } = (await add({ ...t.context, owner: before }, letter, picture)).json
  await before.submit('/sign-out', {})
  const visitor = await signIn(f, sink, f.family.people.coordinator)
  t.true((await visitor.get(letter.path)).text.includes(picture.name))
  const form = { ...fields('With a picture.'), file: id }
  t.is((await visitor.submit(`${letter.path}/reply`, form)).status, 303)
  const sent = await visitor.get(letter.path)
  t.false(sent.text.includes(`value="${id}"`), 'it is the reply’s now')
  const [, reply = ''] = /name="reply" value="([^"]+)"/.exec(sent.text) ?? []
  await visitor.submit(`${letter.path}/undo`, { reply })
  const undone = await visitor.get(letter.path)
  t.true(undone.text.includes('With a picture.') && undone.text.includes(`value="${id}"`))
  t.is((await visitor.submit(`${letter.path}/reply`, { ...form, key: randomText(20) })).status, 303)
  const [mail] = await sink.waitFor(letter.sender)
  t.true(filesOf(mail?.raw ?? '')[0]?.bytes.equals(picture.bytes))
})

test('a file can be removed before it is sent', async (t) => {
  const { f, owner } = t.context
  const letter = await receiveLetter(f, owner)
  const used = await bytesUsed(t.context)
  const { id } = (await add(t.context, letter, picture)).json
  await owner.submit(`${letter.path}/draft`, { ...fields('Still here.'), remove: id })
  const page = await owner.get(letter.path)
  t.true(page.text.includes('Still here.'))
  t.false(page.text.includes(picture.name))
  t.is(await bytesUsed(t.context), used)
  const { status } = await send(`${f.stack.inboxUrl}${letter.path}/replies/rep_none/0`, {
    headers: { cookie: owner.cookie },
  })
  t.is(status, 404)
})

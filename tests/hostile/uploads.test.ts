import { connect, type Socket } from 'node:net'
import test from 'ava'
import { type Guest, joinFamily, send } from '../_family.ts'
import { encodeForm, receiveLetter, submitFiles } from '../_letter.ts'
import { pngOf } from '../_pdf-and-png.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { HOSTS, startEchoGateway } from './_echo-gateway.ts'

const UPLOAD = '/inbox/lo_1/msg_1/attachments'
const KB = 1024
/** Longer than any other request may take. */
const SLOW_SECONDS = 19

test('a slow upload ends well while it makes progress; one that only pretends to is ended', async (t) => {
  await using gateway = await startEchoGateway()
  const perSecond = 32 * KB
  const slow = upload(gateway.port, SLOW_SECONDS * perSecond)
  const pretending = upload(gateway.port, SLOW_SECONDS * perSecond)
  const noFiles = upload(gateway.port, 200 * KB, 'application/x-www-form-urlencoded')
  const send = setInterval(() => {
    for (const [{ socket }, bytes] of [
      [slow, perSecond],
      [noFiles, 5 * KB],
      [pretending, KB],
    ] as const)
      if (socket.writable) socket.write(Buffer.alloc(bytes, 'a'))
  }, 1000)
  t.teardown(() => clearInterval(send))
  t.regex(await slow.answer, /^HTTP\/1\.1 200 /)
  for (const { answer } of [pretending, noFiles]) t.is(await answer, '', 'disconnected')
  t.deepEqual(
    gateway.seen().map(({ body }) => body.length),
    [SLOW_SECONDS * perSecond],
  )
})

function upload(port: number, length: number, type = 'multipart/form-data; boundary=x') {
  const socket = connect(port, '127.0.0.1')
  const answer = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('error', () => {})
    socket.once('data', () => setTimeout(() => socket.destroy(), 100))
    socket.once('close', () => resolve(text))
  })
  socket.write(
    `POST ${UPLOAD} HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  )
  return { socket, answer }
}

test('a family with many uploads that stand still does not keep another family from adding files', async (t) => {
  await using f = await joinFamily()
  const other = await f.another()
  const greedy = await signIn(f, f.sink, f.family.people.owner)
  const calm = await signIn(f, f.sink, other.people.owner)
  const [theirs, ours] = [await receiveLetter(f, greedy), await receiveLetter(f, calm, other)]
  const stalled = await Promise.all(Array.from({ length: 30 }, () => stall(f, greedy, theirs.path)))
  t.teardown(() => stalled.forEach((socket) => void socket.destroy()))
  const add = (visitor: Visitor, path: string) => {
    const file = { name: 'a.png', bytes: Buffer.from(pngOf(100, 100)) }
    return submitFiles(f, visitor, `${path}/attachments`, { key: 'k' }, [file], 'application/json')
  }
  const addOnce = (status: number) =>
    readUntil(
      () => add(greedy, theirs.path),
      (answer) => answer.status === status,
    )
  const refused = await addOnce(400)
  t.regex(refused.json.error.message, /Many files are arriving/)
  t.is((await add(calm, ours.path)).status, 200)
  for (const socket of stalled) socket.destroy()
  t.is((await addOnce(200)).status, 200, 'the slots are free again')
})

test('a form with far more text than any reply is refused before its files are read', async (t) => {
  await using f = await joinFamily()
  const owner = await signIn(f, f.sink, f.family.people.owner)
  const { path } = await receiveLetter(f, owner)
  const file = { name: 'a.png', bytes: Buffer.from(pngOf(100, 100)) }
  const add = (count: number) => {
    const texts = Array.from({ length: count }, (_, index) => [`field${index}`, 'x'.repeat(100 * KB)])
    return submitFiles(f, owner, `${path}/attachments`, Object.fromEntries(texts), [file], 'application/json')
  }
  const refused = await add(40)
  t.is(refused.status, 400)
  t.regex(refused.json.error.message, /too much text/)
  t.false((await owner.get(path)).text.includes(file.name))
  t.is((await add(2)).status, 200)
})

test('a form that is cut anywhere is answered, and good uploads go on', async (t) => {
  await using f = await joinFamily()
  const owner = await signIn(f, f.sink, f.family.people.owner)
  const { path } = await receiveLetter(f, owner)
  const sendForm = (to: string, cookie: string, form: string) => {
    const headers = { cookie, origin: f.stack.inboxUrl, 'content-type': 'multipart/form-data; boundary=x' }
    return send(f.stack.inboxUrl + to, { method: 'POST', headers, body: Buffer.from(form, 'latin1') })
  }
  for (const form of ['attachments', 'draft', 'reply'])
    for (const cut of cutForms())
      for (const [page, cookie] of [
        [path, owner.cookie],
        ['/inbox/lo_x/msg_x', ''],
      ] as const) {
        const { status } = await sendForm(`${page}/${form}`, cookie, cut)
        t.true(status < 500, `${page}/${form} answered ${status} to ${JSON.stringify(cut)}`)
      }
  t.false((await owner.get(path)).text.includes('cut.png'), 'what was refused is not stored')
  for (let time = 0; time < 10; time += 1) {
    const endsInAHeader = `${FILE.replace('cut', 'whole')}--x\r\n${HEAD}"body"\r\n--x--\r\n`
    t.true((await sendForm(`${path}/attachments`, owner.cookie, endsInAHeader)).status < 500)
  }
  const file = { name: 'good.png', bytes: Buffer.from(pngOf(100, 100)) }
  // As many as a family may send at the same time: no slot is missing.
  const good = await Promise.all(
    [1, 2, 3, 4].map(() => submitFiles(f, owner, `${path}/attachments`, { key: 'k' }, [file], 'application/json')),
  )
  t.deepEqual(
    good.map(({ status }) => status),
    [200, 200, 200, 200],
  )
})

const HEAD = 'Content-Disposition: form-data; name='
const FILE = `--x\r\n${HEAD}"files"; filename="cut.png"\r\nContent-Type: image/png\r\n\r\n${Buffer.from(pngOf(20, 20)).toString('latin1')}\r\n`

/** Cut within everything a form has, as it is and closed. All places: `services/site/src/inbox/multipart.test.ts`. */
function cutForms(): string[] {
  const key = `--x\r\n${HEAD}"key"\r\n\r\nk\r\n`
  const inHeader = `${key}--x\r\n${HEAD}"files"; file`
  const last = `--x\r\n${HEAD}"body"`
  const writtenByAnother = `${FILE}--x\r\n${HEAD}"writer"\r\n\r\nper_other`
  const cut = [
    '',
    '--',
    inHeader,
    key + FILE.slice(0, -60),
    key + FILE,
    `${key}${FILE}--x`,
    `${FILE}${last}\r\n\r\nThank`,
  ]
  return [...cut, ...[inHeader, last, `--x\r\n${last}`, writtenByAnother].map((form) => `${form}\r\n--x--\r\n`)]
}

/** Sends the beginning of a file, and then nothing. */
async function stall(f: Guest, { cookie }: Visitor, path: string): Promise<Socket> {
  const { type, bytes } = await encodeForm({ key: 'k' }, [{ name: 'a.png', bytes: Buffer.from(pngOf(900, 900)) }])
  const { hostname, port, host, origin } = new URL(f.stack.inboxUrl)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(
    `POST ${path}/attachments HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  )
  socket.write(bytes.subarray(0, 600))
  return socket
}

import { createHash } from 'node:crypto'
import ava from 'ava'
import { createMailOpener } from './mail-opener.ts'
import { createReaderPool } from './reader-pool.ts'

/** Serial: each starts threads of its own. */
const test = ava.serial
const signal = AbortSignal.timeout(120_000)
/** Starting a thread is slow on a busy machine. */
const DEADLINE_MS = 60_000

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const html = (markup: string) => bytes(`Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${markup}`)

for (const [size, repeat] of [
  ['small', 1],
  ['large', 20_000],
] as const)
  test(`a ${size} mail is sanitized`, async (t) => {
    await using pool = createReaderPool(DEADLINE_MS)
    const opener = createMailOpener(pool)
    const rendered = await opener.markup('a', html('<p onclick=x>Hello</p>'.repeat(repeat)), signal)
    t.true(rendered?.html === '<p>Hello</p>'.repeat(repeat))
  })

test('a plain mail has no markup', async (t) => {
  await using pool = createReaderPool(DEADLINE_MS)
  const opener = createMailOpener(pool)
  t.is(await opener.markup('a', bytes('Subject: x\r\n\r\nHello'), signal), undefined)
})

for (const [size, repeat] of [
  ['small', 1],
  ['large', 200_000],
] as const)
  test(`the files of a ${size} mail are read`, async (t) => {
    await using pool = createReaderPool(DEADLINE_MS)
    const opener = createMailOpener(pool)
    const part = (name: string, body: string) => `--b\r\nContent-Type: image/png; name=${name}\r\n${body}\r\n`
    const encoded = `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=41=42'.repeat(repeat)}`
    const mail = () =>
      bytes(
        `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part('one', encoded)}${part('two', '\r\nas it is')}--b--`,
      )
    const texts = (await opener.files('a', mail(), signal)).map(({ content }) => Buffer.from(content).toString())
    t.deepEqual(texts, ['AB'.repeat(repeat), 'as it is'])
    const second = await opener.file('a', mail(), { index: 1, sha256: sha256('as it is') }, signal)
    t.is(second?.filename, 'two')
    t.is(Buffer.from(second?.content ?? '').toString(), 'as it is')
    t.is(await opener.file('a', mail(), { index: 2, sha256: sha256('') }, signal), undefined)
  })

test('a mail that takes longer than its time is not opened', async (t) => {
  await using pool = createReaderPool(1)
  const opener = createMailOpener(pool)
  const large = () => html('<p>Hello</p>'.repeat(100_000))
  await t.throwsAsync(opener.markup('a', large(), signal), { name: 'AbortError' })
  await t.throwsAsync(opener.files('a', large(), signal), { name: 'AbortError' })
})

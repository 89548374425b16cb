import test from 'ava'
import fc from 'fast-check'
import { decodeTransfer, guessEncoding, isReadableEncoding } from './transfer-encoding.ts'

const decode = (body: string, encoding: string) =>
  decodeTransfer(Buffer.from(body, 'latin1'), encoding).toString('latin1')

test('base64 survives line breaks, stray characters and padding in the middle', (t) => {
  t.is(decode('YWJj\r\nZGVm\r\n', 'base64'), 'abcdef')
  t.is(decode('YW Jj!ZGVm', 'base64'), 'abcdef')
  t.is(decode('YQ==\r\nYmM=\r\nZGVm', 'base64'), 'abcdef')
  t.is(decode('YWJ', 'base64'), 'ab')
})

test('quoted-printable joins soft breaks, drops transport padding and keeps invalid escapes', (t) => {
  t.is(decode('a=3Db =\r\nc  \r\nd=E9=e9', 'quoted-printable'), 'a=b c\r\nd\xe9\xe9')
  t.is(decode('100% =XY =\t \r\nend=', 'quoted-printable'), '100% =XY end')
  t.is(decode('a\nb', 'quoted-printable'), 'a\nb')
})

test('other encodings are left alone', (t) => {
  t.is(decode('=41', '8bit'), '=41')
  t.is(decode('=41', ''), '=41')
})

test('any bytes can be decoded, and encoded bytes round-trip', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const buffer = Buffer.from(bytes)
      t.notThrows(() => decodeTransfer(buffer, 'quoted-printable'))
      t.notThrows(() => decodeTransfer(buffer, 'base64'))
      t.deepEqual(decodeTransfer(Buffer.from(buffer.toString('base64')), 'base64'), buffer)
      const escaped = [...bytes].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('')
      t.deepEqual(decodeTransfer(Buffer.from(escaped), 'quoted-printable'), buffer)
    }),
  )
})

test('a part with an unknown encoding is read as is', (t) => {
  const text = 'Dear Ms Santos,\r\nyour visit is on 3 May, see https://clinic.example/visit?id=12&day=03.\r\n'
  for (const named of ['7-bit', 'plain', 'text/html', 'spam', 'with 8 bits', 'x-unknown'])
    t.is(guessEncoding(named, Buffer.from(text)), '', named)
  for (const word of ['', 'Hello', 'ABCDEFGHIJKLMNOPQRST', 'thisisonelongwordwithoutblanks12'])
    t.is(guessEncoding('spam', Buffer.from(word)), '', word)
})

test('base64 and quoted-printable are recognized without a valid header', (t) => {
  const base64 = Buffer.from('Your visit is on 3 May at 10:30, bring your insurance card please. '.repeat(400))
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n')
  t.is(guessEncoding('text/plain', Buffer.from(base64)), 'base64')
  t.is(guessEncoding('text/plain', Buffer.from('WW91ciB2aXNpdCBpcyBvbiAzIE1heQ==\r\n')), 'base64')
  t.is(guessEncoding('text/plain', Buffer.from('Ol=E1, a=3Db\r\n')), 'quoted-printable')
  t.is(guessEncoding('text/plain', Buffer.from('a line that goes =\r\non\r\n')), 'quoted-printable')
  t.is(guessEncoding('text/plain', Buffer.from('Ol=C3=A1, id=xy, a=3Db\r\n')), '', 'one sign that is not an escape')
  t.is(guessEncoding('quoted printable', Buffer.from('Tab=09 here')), 'quoted-printable')
})

test('parts in obsolete encodings stay attachments', (t) => {
  for (const encoding of ['x-uuencode', 'uuencode', 'x-uue', 'x-yenc', 'yenc', 'x-binhex40'])
    t.false(isReadableEncoding(encoding), encoding)
})

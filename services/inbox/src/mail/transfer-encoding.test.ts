import test from 'ava'
import fc from 'fast-check'
import { decodeTransfer } from './transfer-encoding.ts'

const decode = (body: string, encoding: string) =>
  decodeTransfer(Buffer.from(body, 'latin1'), encoding).toString('latin1')

test('base64 survives line breaks, stray characters and padding in the middle', (t) => {
  t.is(decode('YWJj\r\nZGVm\r\n', 'base64'), 'abcdef')
  t.is(decode('YW Jj!ZGVm', 'base64'), 'abcdef')
  t.is(decode('YQ==\r\nYmM=\r\nZGVm', 'base64'), 'abcdef')
  t.is(decode('YWJ', 'base64'), 'ab')
})

test('quoted-printable joins soft breaks, drops transport padding and keeps what is not an escape', (t) => {
  t.is(decode('a=3Db =\r\nc  \r\nd=E9=e9', 'quoted-printable'), 'a=b c\r\nd\xe9\xe9')
  t.is(decode('100% =XY =\t \r\nend=', 'quoted-printable'), '100% =XY end')
  t.is(decode('a\nb', 'quoted-printable'), 'a\nb')
})

test('other encodings are left alone', (t) => {
  t.is(decode('=41', '8bit'), '=41')
  t.is(decode('=41', ''), '=41')
})

test('any bytes can be decoded, and what was encoded comes back', (t) => {
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

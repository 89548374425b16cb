import test from 'ava'
import {
  der,
  endless,
  envelopedData,
  signedData,
  streamedSignedData,
} from '../../../../tests/mail-corpus/build-sealed.ts'
import { readCms } from './cms.ts'

const CONTENT = Buffer.from('Content-Type: text/plain\r\n\r\nCome on Monday.')
const contentOf = (bytes: Buffer) => {
  const cms = readCms(bytes)
  return cms?.kind === 'signed' ? cms.content.toString() : undefined
}

test('signed content is found, whole or in pieces', (t) => {
  t.is(contentOf(signedData(CONTENT)), CONTENT.toString())
  for (const size of [1, 7, 1000]) t.is(contentOf(streamedSignedData(CONTENT, size)), CONTENT.toString())
  t.deepEqual(readCms(envelopedData()), { kind: 'encrypted' })
})

test('content that is cut is read as far as it goes', (t) => {
  const whole = signedData(Buffer.alloc(1000, 'a'))
  t.true((contentOf(whole.subarray(0, 500))?.length ?? 0) > 400)
})

test('any bytes, lengths and depths are read in linear time', (t) => {
  for (const whole of [signedData(CONTENT), streamedSignedData(CONTENT, 7), envelopedData()])
    for (let at = 0; at < whole.length; at += 1) {
      t.notThrows(() => readCms(whole.subarray(0, at)))
      for (const byte of [0, 0x80, 0x84, 0xff]) {
        const changed = Buffer.from(whole)
        changed[at] = byte
        t.notThrows(() => readCms(changed))
      }
    }
  t.is(readCms(Buffer.alloc(4_000_000, Buffer.from([0x30, 0x80]))), undefined)
  t.is(readCms(Buffer.alloc(4_000_000)), undefined)
  t.is(readCms(der(0x30, endless(0x24))), undefined)
})

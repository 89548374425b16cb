import test from 'ava'
import {
  attribute,
  base64Mail,
  bodyOf,
  fileOf,
  messageOf,
  propertiesOf,
  rtf,
  tnef,
} from '../../../../tests/mail-corpus/build-sealed.ts'
import { parseMessage } from '../parse-message.ts'
import { decompressRtf } from './compressed-rtf.ts'
import { readTnef } from './tnef.ts'

const BODY = bodyOf('Come on Monday.')
const WINMAIL = { 'Content-Type': 'application/ms-tnef' }
const MEGABYTE = 1024 * 1024

test('what comes before a length that cannot be is read, and memory does not follow lengths', (t) => {
  const endless = Buffer.from(BODY)
  endless.writeUInt32LE(0xffffffff, 5)
  t.is(readTnef(tnef(endless), 10)?.text?.text, 'Come on Monday.')
  const properties = propertiesOf({ id: 0x1000, type: 0x1e, value: Buffer.from('Come.') })
  properties.writeUInt32LE(0xffffffff, 9)
  t.is(readTnef(tnef(properties), 10)?.text?.text, 'Come.', 'a count of properties')
  properties.writeUInt32LE(0xffffffff, 21)
  t.is(readTnef(tnef(properties), 10)?.text?.text.startsWith('Come.'), true, 'the size of a property')
  const values = propertiesOf(
    { id: 0x8001, type: 0x1003, value: Buffer.alloc(4) },
    { id: 0x1000, type: 0x1f, value: Buffer.alloc(0) },
  )
  t.notThrows(() => readTnef(tnef(values, BODY), 10))
})

test('every beginning of a file is read', (t) => {
  const whole = tnef(
    BODY,
    fileOf('a.txt', Buffer.from('a')),
    messageOf(tnef(BODY)),
    propertiesOf(rtf(Buffer.from('x'))),
  )
  for (let length = 0; length <= whole.length; length += 1) t.notThrows(() => readTnef(whole.subarray(0, length), 10))
})

test('a million attributes or files cost no more than the limits', (t) => {
  const empty = attribute(1, 0x00060000, Buffer.alloc(0))
  const attributes = readTnef(
    tnef(...Array.from({ length: 10 }, () => Buffer.alloc(empty.length * 100_000, empty))),
    200,
  )
  t.true(attributes?.truncated)
  const file = fileOf('a', Buffer.from('a'))
  const files = readTnef(tnef(Buffer.alloc(file.length * 100_000, file)), 200)
  t.true(files?.truncated)
  t.is(files?.files.length, 200)
})

test('winmail.dat inside of winmail.dat is opened a few levels deep', async (t) => {
  let inner = tnef(BODY, fileOf('deep.txt', Buffer.from('deep')))
  for (let level = 0; level < 30; level += 1) inner = tnef(BODY, messageOf(inner))
  const { text, attachments } = await parseMessage(base64Mail(WINMAIL, inner))
  t.true(text.startsWith('Come on Monday.'))
  t.is(attachments.length, 1)
  t.is(attachments[0]?.contentType, 'application/ms-tnef', 'the rest stays a file')
})

test('compressed RTF that claims or makes gigabytes stays below its limit', (t) => {
  const head = (size: number) => {
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32LE(size, 4)
    bytes.write('LZFu', 8)
    return bytes
  }
  t.true(decompressRtf(head(0xffffffff)).length === 0)
  const bomb = Buffer.concat([head(0xffffffff), Buffer.alloc(MEGABYTE, Buffer.from([0xff, 0, 0x0f]))])
  t.true(decompressRtf(bomb).length <= 4 * MEGABYTE)
  t.is(decompressRtf(Buffer.from('other')).length, 0)
})

test('a reference to what was written before is read (MS-OXRTFCP section 3.1)', (t) => {
  const hex = '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0'
  t.is(decompressRtf(Buffer.from(hex, 'hex')).toString(), '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n')
})

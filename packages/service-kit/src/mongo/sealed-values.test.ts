import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { mongo } from 'mongoose'
import {
  emptyValue,
  keyIdOf,
  newKeyId,
  openValue,
  sealedBytes,
  sealedPlaces,
  sealPrefixes,
  sealValue,
} from './sealed-values.ts'

const newKey = () => createSecretKey(randomBytes(32))
const key = { id: newKeyId(), key: newKey() }

/** As MongoDB's driver returns it. */
const stored = (value: unknown) =>
  sealedBytes(mongo.BSON.deserialize(mongo.BSON.serialize({ value: sealValue(key, value) })).value) ?? Buffer.of()

test('what a key sealed is the same when it is open', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => openValue(key.key, stored(text)) === text),
  )
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => Buffer.from(bytes).equals(openValue(key.key, stored(bytes)) as Buffer)),
  )
  const calendar = { version: 1, files: [{ at: new Date(0), events: [] }] }
  t.deepEqual(openValue(key.key, stored(calendar)), calendar)
})

test('a sealed value names its key, says nothing of its content, and is another each time', (t) => {
  const sealed = stored('Results of your MRI')
  t.is(keyIdOf(sealed), key.id)
  t.false(sealed.includes('MRI'))
  t.notDeepEqual(sealed, stored('Results of your MRI'))
})

test('a value that was changed, or is of another key, does not open', (t) => {
  const sealed = stored('Results of your MRI')
  for (let at = 0; at < sealed.length; at += 1) {
    const bent = Buffer.from(sealed)
    bent[at] = (bent[at] ?? 0) ^ 1
    const found = sealedBytes(bent)
    if (found !== undefined) t.throws(() => openValue(key.key, found), undefined, `${at}`)
  }
  t.throws(() => openValue(newKey(), sealed))
})

test('only sealed values are opened, at any depth, and other bytes and types stay as they are', (t) => {
  const row = {
    text: sealValue(key, 'a'),
    attachments: [{ filename: sealValue(key, 'b.pdf'), size: 1 }],
    original: Buffer.from('From: a'),
    receivedAt: new Date(),
    id: new mongo.ObjectId(),
    nothing: null,
    empty: sealValue(key, ''),
  }
  t.deepEqual(
    sealedPlaces([row]).map(({ name }) => name),
    ['text', 'filename'],
  )
  t.is(row.empty, '')
})

test('what a destroyed key sealed is empty', (t) => {
  t.is(emptyValue(stored('a')), '')
  t.is(emptyValue(stored(Buffer.of(1))), undefined)
})

test('a prefix always has the same form under a key, and another under the key of another family', (t) => {
  const prefixes = ['me', 'medi', '薬局', '@ana', '😀😀😀😀']
  const own = sealPrefixes(key.key, prefixes)
  t.deepEqual(own, sealPrefixes(key.key, prefixes))
  t.deepEqual([sealPrefixes(key.key, ['medi'])[0], new Set(own).size], [own[1], prefixes.length])
  const others = sealPrefixes(newKey(), prefixes)
  t.false(own.some((each) => others.includes(each)))
  for (const each of own) t.regex(each, /^[\w-]{8}$/)
})

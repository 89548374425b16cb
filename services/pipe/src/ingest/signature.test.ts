import { createHmac, createSecretKey } from 'node:crypto'
import test from 'ava'
import { isSigned } from './signature.ts'

const [first, second, other] = ['first', 'second', 'other'].map((text) => createSecretKey(text, 'utf8'))
const body = Buffer.from('{"a":1}')
const signatureOf = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

test('a signature by either of two keys is good, by another it is not', (t) => {
  const keys = [first, second] as never
  t.true(isSigned(body, [signatureOf('first')], keys))
  t.true(isSigned(body, [signatureOf('second')], keys))
  t.false(isSigned(body, [signatureOf('other')], keys))
  t.true(isSigned(body, [signatureOf('other')], [other] as never))
})

test('without keys nothing is signed, not even by an empty one', (t) => {
  t.false(isSigned(body, [signatureOf('')], []))
  t.false(isSigned(body, [], []))
})

test('one value is a signature; none, two, another form or another length is not', (t) => {
  const good = signatureOf('first')
  const keys = [first] as never
  for (const given of [[], [good, good], [good.slice(7)], [`${good}0`], [good.toUpperCase()], ['é'.repeat(71)], ['']])
    t.false(isSigned(body, given, keys), given.join())
})

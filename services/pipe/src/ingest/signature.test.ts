import { createHmac, createSecretKey } from 'node:crypto'
import test from 'ava'
import { isSigned } from './signature.ts'

const [first, second, other] = ['first', 'second', 'other'].map((text) => createSecretKey(text, 'utf8'))
const body = Buffer.from('{"a":1}')
const signatureOf = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

test('a signature by either of two keys is valid, by another key it is not', (t) => {
  const keys = [first, second] as never
  t.true(isSigned(body, [signatureOf('first')], keys))
  t.true(isSigned(body, [signatureOf('second')], keys))
  t.false(isSigned(body, [signatureOf('other')], keys))
  t.true(isSigned(body, [signatureOf('other')], [other] as never))
})

test('without keys no signature is valid, not even one by an empty key', (t) => {
  t.false(isSigned(body, [signatureOf('')], []))
  t.false(isSigned(body, [], []))
})

test('hex in upper or mixed case is the same signature', (t) => {
  const good = signatureOf('first')
  const upper = `sha256=${good.slice(7).toUpperCase()}`
  const mixed = `sha256=${good.slice(7, 40).toUpperCase()}${good.slice(40)}`
  for (const given of [upper, mixed]) t.true(isSigned(body, [given], [first] as never))
  t.false(isSigned(body, [`sha256=${signatureOf('other').slice(7).toUpperCase()}`], [first] as never))
})

test('exactly one well-formed value is a signature', (t) => {
  const good = signatureOf('first')
  const keys = [first] as never
  for (const given of [
    [],
    [good, good],
    [good.slice(7)],
    [`${good}0`],
    [good.toUpperCase()],
    [`${good.slice(0, -1)}K`],
    ['é'.repeat(71)],
    [''],
  ])
    t.false(isSigned(body, given, keys), given.join())
})

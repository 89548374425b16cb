import test from 'ava'
import { rotateIdentity, rotateList } from './rotation.ts'

const make = () => 'new'

test('a key list: the new key is added, then moved first, then alone', (t) => {
  const introduced = rotateList(['old'], 'introduce', make)
  const used = rotateList(introduced, 'use', make)
  t.deepEqual([introduced, used, rotateList(used, 'retire', make)], [['old', 'new'], ['new', 'old'], ['new']])
})

test('a key list: a step out of order is rejected', (t) => {
  t.throws(() => rotateList(['old'], 'use', make), { message: /introduce a new one first/ })
  t.throws(() => rotateList(['old'], 'retire', make))
  t.throws(() => rotateList([], 'introduce', make))
})

type Key = { kid: string; service: string; d?: string }
const key = (kid: string, service = 'auth'): Key => ({ kid, service, d: 'private' })
const publicHalf = ({ d: _, ...rest }: Key): Key => rest
const rotate = (rotation: Parameters<typeof rotateIdentity<Key>>[0], step: Parameters<typeof rotateIdentity>[1]) =>
  rotateIdentity(rotation, step, () => key('auth-2'), publicHalf)

test('a service’s key: two public keys until the last step, and other services’ keys stay', (t) => {
  const start = { current: key('auth-1'), everyone: [publicHalf(key('auth-1')), publicHalf(key('inbox-1', 'inbox'))] }
  const introduced = rotate(start, 'introduce')
  t.is(introduced.current.kid, 'auth-1')
  t.deepEqual(
    introduced.everyone.map(({ kid }) => kid),
    ['auth-1', 'inbox-1', 'auth-2'],
  )
  t.false(
    introduced.everyone.some(({ d }) => d !== undefined),
    'no private key among the public ones',
  )
  const used = rotate(introduced, 'use')
  t.is(used.current.kid, 'auth-2')
  t.is(used.everyone.length, 3)
  t.deepEqual(
    rotate(used, 'retire').everyone.map(({ kid }) => kid),
    ['inbox-1', 'auth-2'],
  )
})

test('a service’s key: a step out of order is rejected', (t) => {
  const start = { current: key('auth-1'), everyone: [publicHalf(key('auth-1'))] }
  t.throws(() => rotate(start, 'use'), { message: /introduce one first/ })
  t.throws(() => rotate(rotate(start, 'introduce'), 'introduce'), { message: /use it first/ })
  t.throws(() => rotate(rotate(start, 'introduce'), 'retire'), { message: /use it first/ })
})

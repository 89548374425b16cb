import test from 'ava'
import { createPeerLimit } from './peer-limit.ts'

test('one host has a limited number of connections, and another host can still connect', (t) => {
  const limit = createPeerLimit(2, 1000)
  t.true(limit.admit('a', '192.0.2.1'))
  t.true(limit.admit('b', '192.0.2.1'))
  t.false(limit.admit('c', '192.0.2.1'))
  t.true(limit.admit('d', '192.0.2.2'))
})

test('a closed connection frees one slot, once', (t) => {
  const limit = createPeerLimit(1, 1000)
  limit.admit('a', '192.0.2.1')
  limit.release('a')
  limit.release('a')
  limit.release('never admitted')
  t.true(limit.admit('b', '192.0.2.1'))
  t.false(limit.admit('c', '192.0.2.1'))
})

test('an IPv6 /64 counts as one host', (t) => {
  const limit = createPeerLimit(1, 1000)
  t.true(limit.admit('a', '2001:db8:1:2::1'))
  t.false(limit.admit('b', '2001:db8:1:2:ffff:1:2:3'))
  t.true(limit.admit('c', '2001:db8:1:3::1'))
  t.true(limit.admit('d', '2001:db8::1'))
  t.false(limit.admit('e', '2001:db8::ffff:1'))
  t.true(limit.admit('f', '::1'))
})

test('each host leaves as many connections free as it holds', (t) => {
  const limit = createPeerLimit(1000, 90)
  const admitAll = (peer: string) => {
    let count = 0
    while (limit.admit(`${peer} ${count}`, peer)) count += 1
    return count
  }
  t.is(admitAll('192.0.2.1'), 45)
  t.is(admitAll('192.0.2.2'), 22)
  t.true(limit.admit('d', '192.0.2.3'))
})

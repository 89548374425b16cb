import test from 'ava'
import { createPeerLimit } from './peer-limit.ts'

test('a host holds so many connections and no more, and another host is not kept out', (t) => {
  const limit = createPeerLimit(2, 1000)
  t.true(limit.admit('a', '192.0.2.1'))
  t.true(limit.admit('b', '192.0.2.1'))
  t.false(limit.admit('c', '192.0.2.1'))
  t.true(limit.admit('d', '192.0.2.2'))
})

test('a connection that ended makes room for one, once', (t) => {
  const limit = createPeerLimit(1, 1000)
  limit.admit('a', '192.0.2.1')
  limit.release('a')
  limit.release('a')
  limit.release('never admitted')
  t.true(limit.admit('b', '192.0.2.1'))
  t.false(limit.admit('c', '192.0.2.1'))
})

test('an IPv6 host is one host in the whole of its /64', (t) => {
  const limit = createPeerLimit(1, 1000)
  t.true(limit.admit('a', '2001:db8:1:2::1'))
  t.false(limit.admit('b', '2001:db8:1:2:ffff:1:2:3'))
  t.true(limit.admit('c', '2001:db8:1:3::1'))
  t.true(limit.admit('d', '2001:db8::1'))
  t.false(limit.admit('e', '2001:db8::ffff:1'))
  t.true(limit.admit('f', '::1'))
})

test('one host after another leaves as many connections for the next as it holds itself', (t) => {
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

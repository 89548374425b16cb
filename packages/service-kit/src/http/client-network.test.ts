import test from 'ava'
import { clientNetwork } from './client-network.ts'

test('an IPv4 address is its own network', (t) => {
  t.is(clientNetwork('203.0.113.7'), '203.0.113.7')
  t.is(clientNetwork('::ffff:203.0.113.7'), '203.0.113.7')
})

test('all addresses of an IPv6 /64 are one network', (t) => {
  t.is(clientNetwork('2001:db8:1:2:aaaa::1'), '2001:db8:1:2')
  t.is(clientNetwork('2001:DB8:1:2::'), '2001:db8:1:2')
  t.is(clientNetwork('2001:0db8:0001:0002:0:0:0:9'), '2001:db8:1:2')
  t.not(clientNetwork('2001:db8:1:3::1'), '2001:db8:1:2')
  t.is(clientNetwork('::1'), '0:0:0:0')
})

test('invalid addresses are one network', (t) => {
  t.is(clientNetwork(''), 'unknown')
  t.is(clientNetwork('example.org'), 'unknown')
})

import test from 'ava'
import { clientAddress } from './client-address.ts'

test('without trusted proxies the peer is the client, and its header is ignored', (t) => {
  t.is(clientAddress('203.0.113.9', '198.51.100.1, 198.51.100.2', 0), '203.0.113.9')
})

test('behind one proxy the client is the address that proxy saw, not what the client wrote', (t) => {
  t.is(clientAddress('10.0.0.1', '1.1.1.1, 203.0.113.9', 1), '203.0.113.9')
})

test('a chain shorter than the number of proxies falls back to the peer', (t) => {
  t.is(clientAddress('203.0.113.9', undefined, 2), '203.0.113.9')
})

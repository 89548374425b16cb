import { createSecretKey } from 'node:crypto'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import test from 'ava'
import { hashNetwork, noteNetwork } from './alarms.ts'

const key = createSecretKey(Buffer.alloc(32, 1))
const hash = (address: string, networkKey = key) => hashNetwork(networkKey, clientNetwork(address))

test('addresses of one /24 or /48 are one network, and no others', (t) => {
  t.is(hash('203.0.113.7'), hash('203.0.113.250'))
  t.is(hash('::ffff:203.0.113.7'), hash('203.0.113.7'))
  t.not(hash('203.0.113.7'), hash('203.0.114.7'))
  t.is(hash('2001:db8:1:2::1'), hash('2001:db8:1:ffff::1'))
  t.not(hash('2001:db8:1::1'), hash('2001:db8:2::1'))
})

test('the hash says nothing without its key, and names the key', (t) => {
  const other = createSecretKey(Buffer.alloc(32, 2))
  t.not(hash('203.0.113.7'), hash('203.0.113.7', other))
  t.is(hash('203.0.113.7').slice(0, 6), hash('198.51.100.1').slice(0, 6))
  t.not(hash('203.0.113.7').slice(0, 6), hash('203.0.113.7', other).slice(0, 6))
})

test('an address nobody knows changes nothing, nor does the network of the last call', (t) => {
  const known = [hash('198.51.100.1'), hash('203.0.113.7')]
  t.is(noteNetwork({ networkKey: key }, known, ''), undefined)
  t.is(noteNetwork({ networkKey: key }, known, '203.0.113.9'), undefined)
  for (const latest of [undefined, [], known])
    t.not(noteNetwork({ networkKey: key }, latest, '198.51.100.1'), undefined, `${latest}`)
})

import test from 'ava'
import { isPublicAddress } from './public-address.ts'

const NOT_PUBLIC = {
  'this machine': ['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '0.1.2.3', '::'],
  'a private network': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fc00::1', 'fdff::1'],
  'a single link': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
  'a metadata server': ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  'a group of machines': ['224.0.0.1', '239.255.255.250', '255.255.255.255', 'ff02::1', 'ff0e::1'],
  'an IPv4 address inside an IPv6 one': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001::1',
  ],
  'documentation, benchmarks and the future': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '240.0.0.1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '4000::1',
    '5f00::1',
  ],
  'nothing at all': ['', 'localhost', 'example.com', '256.1.1.1', '1.2.3.4:80', '[::1]', '8.8.8.8 '],
}

for (const [what, addresses] of Object.entries(NOT_PUBLIC))
  test(`an address of ${what} is not public`, (t) => {
    for (const address of addresses) t.false(isPublicAddress(address), address)
  })

test('addresses of the open internet are public', (t) => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '169.253.1.1',
    '2606:4700::1',
    '2a00:1450::1',
  ])
    t.true(isPublicAddress(address), address)
})

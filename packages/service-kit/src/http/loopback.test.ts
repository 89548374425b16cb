import test from 'ava'
import { isLoopbackHost, isLoopbackUrl, reachableBy } from './loopback.ts'

test('a listen address is loopback only when written in full', (t) => {
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.3.2.1', '::1', '[::1]'])
    t.true(isLoopbackHost(host), host)
  for (const host of [
    ...['0.0.0.0', '::', '[::]', '', '0', '127.1', '192.168.1.7', '10.0.0.1', '::ffff:127.0.0.1', 'fe80::1'],
    ...['localhost.', 'localhost.evil.example', '127.0.0.1.nip.io', 'localhost.localdomain', 'my-machine.local'],
  ])
    t.false(isLoopbackHost(host), host)
})

test('a URL is local only with a loopback address or a name below localhost', (t) => {
  for (const url of [
    ...['http://localhost:8080', 'https://localhost', 'http://127.0.0.1:1', 'http://[::1]:8080', 'http://127.1:80'],
    'http://inbox.family.localhost:8080',
  ])
    t.true(isLoopbackUrl(url), url)
  for (const url of [
    ...['https://inbox.family.example', 'http://192.168.1.7:8082', 'http://0.0.0.0:8082', 'http://[::]:8082'],
    ...[
      'http://localhost.evil.example',
      'http://127.0.0.1.nip.io',
      'http://localhost@evil.example',
      'http://evillocalhost',
    ],
    ...['http://[::ffff:127.0.0.1]:8082', 'http://localhost.:8080', 'http://evil.localhost.example'],
  ])
    t.false(isLoopbackUrl(url), url)
})

test('the setting that makes an installation reachable is named', (t) => {
  const urls = { BASE_URL: 'http://localhost:8080', INBOX_URL: 'http://[::1]:8082' }
  t.is(reachableBy({ urls, hosts: { HTTP_HOST: '127.0.0.1' } }), undefined)
  t.is(reachableBy({ urls, hosts: { HTTP_HOST: '::' } }), 'HTTP_HOST is ::')
  const elsewhere = { ...urls, INBOX_URL: 'https://inbox.family.example' }
  t.is(reachableBy({ urls: elsewhere, hosts: {} }), 'INBOX_URL is https://inbox.family.example')
})

import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { normalizeTarget } from './request-target.ts'

function normalized(url: string, host: string, ...hosts: string[]) {
  const rawHeaders = ['Accept', '*/*', ...[host, ...hosts].flatMap((name) => ['hOsT', name])]
  const req = { method: 'OPTIONS', url, rawHeaders, headers: { host } } as unknown as IncomingMessage
  normalizeTarget(req)
  return { url: req.url, host: req.headers.host }
}

test('a target that is a path stays unchanged', (t) => {
  for (const url of ['/', '//about', '/%', '/a?b=http://c/d', '/about/../privacy'])
    t.deepEqual(normalized(url, 'a.example'), { url, host: 'a.example' })
})

test('the host of an absolute target replaces the Host header', (t) => {
  t.deepEqual(normalized('http://b.example:81/x?y', 'a.example'), { url: '/x?y', host: 'b.example:81' })
  t.deepEqual(normalized('HTTPS://b.example', 'a.example'), { url: '/', host: 'b.example' })
  t.deepEqual(normalized('http://b.example?x', 'a.example'), { url: '/?x', host: 'b.example' })
})

test('several Host headers leave no host', (t) => {
  t.is(normalized('/', 'a.example', 'b.example').host, undefined)
})

test('OPTIONS * becomes a request for the root', (t) => {
  t.is(normalized('*', 'a.example').url, '/')
})

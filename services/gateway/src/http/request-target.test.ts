import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { normaliseTarget } from './request-target.ts'

function normalised(url: string, host: string, ...hosts: string[]) {
  const rawHeaders = ['Accept', '*/*', ...[host, ...hosts].flatMap((name) => ['hOsT', name])]
  const req = { method: 'OPTIONS', url, rawHeaders, headers: { host } } as unknown as IncomingMessage
  normaliseTarget(req)
  return { url: req.url, host: req.headers.host }
}

test('a target that is a path stays as it is, whatever it holds', (t) => {
  for (const url of ['/', '//about', '/%', '/a?b=http://c/d', '/about/../privacy'])
    t.deepEqual(normalised(url, 'a.example'), { url, host: 'a.example' })
})

test('the host of an absolute target counts, and not the header', (t) => {
  t.deepEqual(normalised('http://b.example:81/x?y', 'a.example'), { url: '/x?y', host: 'b.example:81' })
  t.deepEqual(normalised('HTTPS://b.example', 'a.example'), { url: '/', host: 'b.example' })
  t.deepEqual(normalised('http://b.example?x', 'a.example'), { url: '/?x', host: 'b.example' })
})

test('of several hosts none counts', (t) => {
  t.is(normalised('/', 'a.example', 'b.example').host, undefined)
})

test('what is asked of the server as a whole is asked of its first page', (t) => {
  t.is(normalised('*', 'a.example').url, '/')
})

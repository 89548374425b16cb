import test from 'ava'
import { parseRequest } from './parse-request.ts'

const parse = (text: string) => parseRequest(Buffer.from(text))

test('a call is read with its id, method and params', (t) => {
  const request = parse('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ping"}}')
  t.deepEqual(request, { kind: 'request', id: '7', method: 'tools/call', params: { name: 'ping' } })
})

for (const id of [
  '"x"',
  '0',
  '-1.5',
  'null',
  'true',
  '{"a":[1,2]}',
  '[]',
  '12345678901234567890',
  '1e400',
  '"\\u2028"',
]) {
  test(`the id ${id} is echoed as it was sent`, (t) => {
    const request = parse(`{"params":{"id":3},"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    t.true(request.kind === 'request')
    if (request.kind === 'request') t.is(request.id, id === '"\\u2028"' ? '"\u2028"' : id)
  })
}

test('a message without an id is a notification, even with an unknown method', (t) => {
  t.is(parse('{"jsonrpc":"2.0","method":"notifications/unheard-of"}').kind, 'notification')
})

test('a response from the client is treated as a notification', (t) => {
  t.is(parse('{"jsonrpc":"2.0","id":1,"result":{}}').kind, 'notification')
})

const malformed: [why: string, text: string, code: number][] = [
  ['an empty body', '', -32700],
  ['text that is not JSON', '{"jsonrpc":', -32700],
  ['an array', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
  ['an empty array', '[]', -32600],
  ['a string', '"ping"', -32600],
  ['null', 'null', -32600],
  ['no jsonrpc', '{"id":1,"method":"ping"}', -32600],
  ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600],
  ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
  ['a method that is not a string', '{"jsonrpc":"2.0","id":1,"method":{"$ne":null}}', -32600],
  ['params as a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602],
  ['a deeply nested id', `{"jsonrpc":"2.0","method":"ping","id":${'['.repeat(32_000)}${']'.repeat(32_000)}}`, -32600],
]
for (const [why, text, code] of malformed) {
  test(`${why} is refused with ${code}`, (t) => {
    const message = parse(text)
    t.is(message.kind, 'malformed')
    if (message.kind === 'malformed') t.is(message.code, code)
  })
}

test('bytes that are not UTF-8 are refused, not repaired', (t) => {
  const message = parseRequest(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))
  t.is(message.kind === 'malformed' && message.code, -32700)
})

test('an error carries the id of the request when there is one', (t) => {
  const message = parse('{"jsonrpc":"1.0","id":"a","method":"ping"}')
  t.is(message.kind === 'malformed' && message.id, '"a"')
})

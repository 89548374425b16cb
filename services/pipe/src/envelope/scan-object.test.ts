import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import { scanObject } from './scan-object.ts'

const membersOf = (text: string) => {
  const scan = scanObject(text, 64)
  return scan.kind === 'object' ? Object.fromEntries(scan.members) : scan.kind
}

test('each member’s text stays as written', (t) => {
  t.deepEqual(membersOf('{"a": 2.50 ,"b":{"c":[1,{"a":1}],"d":"}\\"{,"} , "e":[ ],"f":"x"}'), {
    a: '2.50',
    b: '{"c":[1,{"a":1}],"d":"}\\"{,"}',
    e: '[ ]',
    f: '"x"',
  })
  t.deepEqual(membersOf(' { } '), {})
  t.deepEqual(membersOf('{"\\u0061\\\\":1e5}'), { 'a\\': '1e5' })
})

test('a repeated name in one object is found at any depth and in any spelling', (t) => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"x":[{"b":{},"b":1}]}',
    '{"__proto__":1,"__proto__":2}',
  ])
    t.is(membersOf(text), 'repeated', text)
  t.not(membersOf('{"a":{"a":1},"b":["a","a"],"c":"a"}'), 'repeated')
})

test('depth is limited, and deep nesting is cheap', (t) => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  t.is(scanObject(nested(64), 64).kind, 'object')
  t.is(scanObject(nested(65), 64).kind, 'too deep')
  t.is(scanObject(nested(100_000), 64).kind, 'too deep')
})

test('any object from JSON.stringify is read back member by member', (t) => {
  const objects = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 6 }))
  const isReadBack = (object: Record<string, unknown>, indent: number) => {
    const text = JSON.stringify(object, null, indent)
    const members = Object.entries(membersOf(text)).map(([name, member]) => [name, JSON.parse(member)])
    return isDeepStrictEqual(new Map(members as [string, unknown][]), new Map(Object.entries(JSON.parse(text))))
  }
  fc.assert(fc.property(objects, fc.integer({ min: 0, max: 3 }), isReadBack))
  t.pass()
})

import test from 'ava'
import { ALONE, mayStart, needsCalm } from './may-start.ts'

const [fragile, ...others] = ['tests/promises/stores-away.test.ts', 'a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts']

test('two files always run at the same time', (t) => {
  t.true(mayStart('a.test.ts', [], 0))
  t.true(mayStart('a.test.ts', ['b.test.ts'], 0))
  t.true(mayStart(fragile, ['b.test.ts'], 0))
})

test('more files run only while processors are idle, up to six', (t) => {
  t.false(mayStart('e.test.ts', others, 0.2))
  t.true(mayStart('e.test.ts', others, 0.4))
  t.false(mayStart('e.test.ts', [...others, 'f.test.ts', 'g.test.ts'], 0.9))
})

test('a file that a busy machine makes fail runs beside at most two others', (t) => {
  t.true(needsCalm(fragile))
  t.false(mayStart('a.test.ts', [fragile, 'b.test.ts'], 0.4))
  t.true(mayStart('a.test.ts', [fragile, 'b.test.ts'], 0.7))
  t.false(mayStart(fragile, ['a.test.ts', 'b.test.ts', 'c.test.ts'], 0.9))
})

test('a file that needs every processor runs alone', (t) => {
  for (const file of ALONE) {
    t.true(mayStart(file, [], 0))
    t.false(mayStart(file, ['a.test.ts'], 0.9))
    t.false(mayStart('a.test.ts', [file], 0.9))
  }
})

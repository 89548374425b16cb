import test from 'ava'
import { readProviderCode } from './provider-code.ts'

test('a code is read as a person types it: in any case, in groups, with letters for the digits they look like', (t) => {
  for (const typed of ['7KQ01M9X', '7kq01m9x', ' 7KQ0-1M9X ', '7 k q o i m 9 x', '7KQOLM9X'])
    t.is(readProviderCode(typed), '7KQ01M9X')
})

test('what is no code at all is cut before it is looked at', (t) => {
  t.true(readProviderCode('x'.repeat(1_000_000)).length <= 100)
})

import test from 'ava'
import { readProviderCode } from './provider-code.ts'

test('a code is accepted in any case, in groups, and with look-alike letters', (t) => {
  for (const typed of ['7KQ01M9X', '7kq01m9x', ' 7KQ0-1M9X ', '7 k q o i m 9 x', '7KQOLM9X'])
    t.is(readProviderCode(typed), '7KQ01M9X')
})

test('overlong input is cut before it is read', (t) => {
  t.true(readProviderCode('x'.repeat(1_000_000)).length <= 100)
})

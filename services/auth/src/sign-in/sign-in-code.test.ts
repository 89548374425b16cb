import test from 'ava'
import { newCode, readCode, showCode } from './sign-in-code.ts'

test('a code has eight digits, leading zeros included', (t) => {
  for (let round = 0; round < 2000; round += 1) t.regex(newCode(), /^\d{8}$/)
})

test('a code is accepted in any spacing', (t) => {
  t.is(showCode('01234567'), '0123 4567')
  for (const typed of ['01234567', '0123 4567', ' 0123-4567\n', '０１２３４５６７', '0123\u00a04567'])
    t.is(readCode(typed), '01234567')
  t.is(readCode('abcdefgh'), '')
})

import test from 'ava'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-code.ts'

test('a sheet has eight different codes, in groups that are easy to copy', (t) => {
  const codes = newRecoveryCodes()
  t.is(new Set(codes).size, 8)
  for (const code of codes) t.regex(code, /^([2-9a-hjkmnp-tv-z]{4}-){3}[2-9a-hjkmnp-tv-z]{4}$/)
})

test('a code is accepted in any spacing and case, and of its own person only', (t) => {
  const hash = hashRecoveryCode('per_1', 'abcd-efgh-jkmn-pqrs')
  for (const typed of ['ABCD EFGH JKMN PQRS', ' abcdefghjkmnpqrs\n', 'abcd–efgh–jkmn–pqrs'])
    t.is(hashRecoveryCode('per_1', typed), hash)
  t.not(hashRecoveryCode('per_2', 'abcd-efgh-jkmn-pqrs'), hash)
})

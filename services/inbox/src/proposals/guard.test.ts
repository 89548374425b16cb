import test from 'ava'
import { isOfVerifiedSender } from './guard.ts'

const checked = (dmarc: string) => ({ authenticity: { spf: 'pass', dkim: 'pass', dmarc, arc: 'none' } })
const originalSender = { name: 'Desk', address: 'desk@clinic.example' }

test('only mail that passed DMARC is of a verified sender; unchecked mail is not', (t) => {
  t.true(isOfVerifiedSender(checked('pass')))
  for (const dmarc of ['fail', 'none', 'temperror', 'permerror', 'pending']) t.false(isOfVerifiedSender(checked(dmarc)))
  t.false(isOfVerifiedSender({}))
})

test('a forwarded original is another sender’s, unless a member verifiably forwarded it', (t) => {
  t.false(isOfVerifiedSender({ ...checked('pass'), originalSender }))
  t.true(isOfVerifiedSender({ ...checked('pass'), originalSender, forwardedByMember: true }))
  t.false(isOfVerifiedSender({ ...checked('fail'), originalSender, forwardedByMember: true }))
})

import test from 'ava'
import { isOfVerifiedSender } from './guard.ts'

const from = { name: 'Ana', address: 'ana@family.example' }
const originalSender = { name: 'Desk', address: 'desk@clinic.example' }
const checked = (dmarc: string, more = {}) => ({
  from,
  authenticity: { spf: 'pass', dkim: 'pass', dmarc, arc: 'none', ...more },
})

test('only mail that its sender’s domain vouches for is of a verified sender; unchecked mail is not', (t) => {
  t.true(isOfVerifiedSender(checked('pass')))
  t.true(isOfVerifiedSender(checked('none', { aligned: true })), 'signed, without a policy')
  for (const dmarc of ['fail', 'none', 'temperror', 'permerror', 'pending']) t.false(isOfVerifiedSender(checked(dmarc)))
  t.false(isOfVerifiedSender({ from }))
  t.false(isOfVerifiedSender(checked('pass', { aligned: false })), 'only part of it was signed')
})

test('a forwarded original is another sender’s, unless a member verifiably forwarded it', (t) => {
  t.false(isOfVerifiedSender({ ...checked('pass'), originalSender }))
  t.true(isOfVerifiedSender({ ...checked('pass'), originalSender, forwardedByMember: true }))
  t.false(isOfVerifiedSender({ ...checked('fail'), originalSender, forwardedByMember: true }))
})

test('mail that was forwarded unchanged is its sender’s own', (t) => {
  const address = from.address.toUpperCase()
  t.true(isOfVerifiedSender({ ...checked('pass'), originalSender: { ...from, address } }))
})

import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import test from 'ava'
import { isOfVerifiedSender, senderOf } from './sender-of.ts'

const ana = { name: 'Ana', address: 'ana@family.example' }
const clinic = { name: 'Clinic', address: 'desk@clinic.example' }
const pass = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true }

test('the sender is who the check proves, or whom a member verifiably forwarded', (t) => {
  t.deepEqual(senderOf({ from: clinic, authenticity: pass }), { sender: clinic, proof: SenderProof.VERIFIED })
  const forwarded = { from: ana, originalSender: clinic, authenticity: pass }
  t.deepEqual(senderOf({ ...forwarded, forwardedByMember: true }), { sender: clinic, proof: SenderProof.FORWARDED })
  t.deepEqual(senderOf(forwarded), { sender: ana, proof: SenderProof.VERIFIED })
  const unchanged = { ...forwarded, originalSender: { ...ana, address: 'ANA@family.example' } }
  t.deepEqual(senderOf({ ...unchanged, forwardedByMember: true }), { sender: ana, proof: SenderProof.VERIFIED })
})

test('nothing is proven before the check has ended, or by a name', (t) => {
  t.is(senderOf({ from: clinic }).proof, SenderProof.UNSPECIFIED)
  for (const aligned of [false, undefined])
    t.is(senderOf({ from: clinic, authenticity: { ...pass, dmarc: 'none', aligned } }).proof, SenderProof.UNSPECIFIED)
})

const from = ana
const originalSender = clinic
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

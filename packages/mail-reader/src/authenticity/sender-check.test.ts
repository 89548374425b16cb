import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { isProven, senderCheck } from './sender-check.ts'

const none = { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none', aligned: false }

test('a sender is verified if their domain vouches for the whole mail, with a DMARC policy or without', (t) => {
  t.is(senderCheck({ ...none, dkim: 'pass', dmarc: 'pass', aligned: true }), SenderCheck.VERIFIED)
  t.is(senderCheck({ ...none, dkim: 'pass', aligned: true }), SenderCheck.VERIFIED)
  t.is(senderCheck({ ...none, dkim: 'pass', dmarc: 'pass', aligned: false }), SenderCheck.NOT_VERIFIED, 'appended text')
  t.is(senderCheck({ ...none, dkim: 'pass', aligned: false }), SenderCheck.NOT_VERIFIED, 'signed by someone else')
})

test('mail that an earlier version checked keeps its result', (t) => {
  const { aligned: _, ...old } = none
  t.true(isProven({ authenticity: { ...old, dmarc: 'pass' } }))
  t.false(isProven({ authenticity: old }))
})

test('nothing is proven before the check has ended, or if it was impossible', (t) => {
  t.is(senderCheck(undefined), SenderCheck.UNSPECIFIED)
  t.is(senderCheck({ ...none, dmarc: 'temperror' }), SenderCheck.IMPOSSIBLE)
  t.false(isProven({}))
})

test('only a known forwarder explains that the policy of the domain refuses the mail', (t) => {
  const refused = { ...none, dmarc: 'fail', arc: 'pass', arcSealers: ['evil.example'] }
  t.is(senderCheck({ ...none, dmarc: 'fail' }), SenderCheck.FAILED)
  t.is(senderCheck(refused), SenderCheck.FAILED)
  t.is(senderCheck({ ...refused, arcSealers: ['google.com'], forwarder: 'google.com' }), SenderCheck.NOT_VERIFIED)
})

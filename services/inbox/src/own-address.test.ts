import test from 'ava'
import { addressAt, isOwnAddress, localPartOf, wholeLocalPart } from './own-address.ts'

test('an address matches in any case, with a suffix and with quotes', (t) => {
  for (const recipient of [
    'k3v9@inbox.example',
    'K3V9@INBOX.Example',
    'k3v9+caf_=ana=mail.example@inbox.example',
    'k3v9+@inbox.example.',
    '"k3v9"@inbox.example',
  ])
    t.is(localPartOf(recipient, { mailDomain: 'inbox.example' }), 'k3v9', recipient)
})

test('an address on another domain is not ours', (t) => {
  for (const recipient of [
    'k3v9@example',
    'k3v9@sub.inbox.example',
    'k3v9@inbox.example.evil',
    'k3v9',
    '@inbox.example',
    'k3v9@',
  ])
    t.is(localPartOf(recipient, { mailDomain: 'inbox.example' }), undefined, recipient)
})

test('an internationalized domain matches in both forms', (t) => {
  t.is(
    localPartOf('k3v9@xn--pflege-posteingang-gtb.example', { mailDomain: 'xn--pflege-posteingang-gtb.example' }),
    'k3v9',
  )
  t.is(localPartOf('k3v9@münchen.example', { mailDomain: 'xn--mnchen-3ya.example' }), 'k3v9')
})

test('behind the plus of a mailbox, only its plus addresses are ours', (t) => {
  const place = { mailDomain: 'mail.example', mailbox: 'family' }
  t.is(addressAt(place, 'k3v9'), 'family+k3v9@mail.example')
  t.is(localPartOf('Family+K3v9@mail.example', place), 'k3v9')
  t.is(localPartOf('family+k3v9+caf_=ana=other.example@mail.example', place), 'k3v9')
  t.is(wholeLocalPart('family+bounces+0f@mail.example', place), 'bounces+0f')
  t.is(localPartOf('family@mail.example', place), '', 'the mailbox itself is no inbox')
  for (const other of [
    'k3v9@mail.example',
    'familyk3v9@mail.example',
    'family.k3v9@mail.example',
    'family+k3v9@x.example',
  ])
    t.is(localPartOf(other, place), undefined, other)
})

test('at a domain that others share, their mail does not lead back here', (t) => {
  const own = { mailDomain: 'mail.example', mailbox: 'family', senderAddress: 'family@mail.example' }
  t.true(isOwnAddress(own, 'family+k3v9@mail.example'))
  t.true(isOwnAddress(own, 'family@mail.example'))
  t.false(isOwnAddress(own, 'clinic@mail.example'))
})

import test from 'ava'
import { localPartOf } from './own-address.ts'

test('an address matches in any case, with a suffix and with quotes', (t) => {
  for (const recipient of [
    'k3v9@inbox.example',
    'K3V9@INBOX.Example',
    'k3v9+caf_=ana=mail.example@inbox.example',
    'k3v9+@inbox.example.',
    '"k3v9"@inbox.example',
  ])
    t.is(localPartOf(recipient, 'inbox.example'), 'k3v9', recipient)
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
    t.is(localPartOf(recipient, 'inbox.example'), undefined, recipient)
})

test('an internationalized domain matches in both forms', (t) => {
  t.is(localPartOf('k3v9@xn--pflege-posteingang-gtb.example', 'xn--pflege-posteingang-gtb.example'), 'k3v9')
  t.is(localPartOf('k3v9@münchen.example', 'xn--mnchen-3ya.example'), 'k3v9')
})

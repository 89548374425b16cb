import test from 'ava'
import { findForwardingConfirmation } from './forwarding-confirmation.ts'

test('each provider is recognized by its own sender, with the code and a link to its own host', (t) => {
  const cases: [provider: string, from: string, link: string][] = [
    ['gmail', 'forwarding-noreply@google.com', 'https://mail.google.com/mail/vf-[A]-b'],
    ['outlook', 'account-security-noreply@accountprotection.microsoft.com', 'https://account.live.com/v?x=1'],
    ['icloud', 'noreply@email.apple.com', 'https://account.apple.com/verify'],
    ['yahoo', 'no-reply@cc.yahoo-inc.com', 'https://login.yahoo.com/verify'],
    ['zoho', 'noreply@zoho.com', 'https://mail.zoho.com/confirm'],
    ['proton', 'no-reply@notify.proton.me', 'https://account.proton.me/forwarding'],
    ['fastmail', 'support@fastmail.com', 'https://app.fastmail.com/confirm'],
  ]
  for (const [provider, from, link] of cases) {
    const text = `Someone asks to forward mail to you.\nVerification code: 123456\nOpen (${link}).`
    t.deepEqual(findForwardingConfirmation(from, 'Verify forwarding', text) as unknown, {
      provider,
      code: '123456',
      link,
    })
  }
})

test('other mail of the same providers is none', (t) => {
  t.is(findForwardingConfirmation('noreply@zoho.com', 'Your receipt', 'Order code 123456'), undefined)
  t.is(
    findForwardingConfirmation('forwarding-noreply@google.com', 'Forwarding was turned off', 'Nothing to do.'),
    undefined,
  )
})

test('lookalike senders and links are never trusted', (t) => {
  for (const from of [
    'noreply@zoho.com.evil.example',
    'noreply@evilzoho.com',
    'noreply@sub.zoho.com',
    'zoho.com',
    '',
    'forwarding-noreply@googIe.com',
  ]) {
    t.is(findForwardingConfirmation(from, 'Forwarding', 'code: 123456'), undefined)
  }
  const links = [
    'http://mail.zoho.com/x',
    'https://mail.zoho.com.evil.example/x',
    'https://mail.zoho.com@evil.example/',
    'https://mail.zoho.com:8443/x',
    'https://mаil.zoho.com/x',
  ]
  for (const link of links) {
    t.deepEqual(findForwardingConfirmation('noreply@zoho.com', 'Forwarding code: 123456', link), {
      provider: 'zoho',
      code: '123456',
    })
  }
})

test('a mailbox that anybody can have at a provider is not the provider', (t) => {
  for (const from of [
    'x@icloud.com',
    'x@proton.me',
    'x@zoho.com',
    'x@fastmail.com',
    'x@yahoo.com',
    'x@gmail.com',
    'x@outlook.com',
  ]) {
    t.is(findForwardingConfirmation(from, 'Confirm forwarding', 'Verification code: 123456'), undefined)
  }
})

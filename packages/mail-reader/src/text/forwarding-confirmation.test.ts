import test from 'ava'
import { findForwardingConfirmation } from './forwarding-confirmation.ts'

test('each provider is recognized by its sender, with the code, and with a link only in a known format', (t) => {
  const cases: [provider: string, from: string, link: string][] = [
    ['outlook', 'account-security-noreply@accountprotection.microsoft.com', 'https://account.live.com/v?x=1'],
    ['icloud', 'noreply@email.apple.com', 'https://account.apple.com/verify'],
    ['yahoo', 'no-reply@cc.yahoo-inc.com', 'https://login.yahoo.com/verify'],
    ['zoho', 'noreply@zoho.com', 'https://mail.zoho.com/confirm'],
    ['proton', 'no-reply@notify.proton.me', 'https://account.proton.me/forwarding'],
    ['fastmail', 'support@fastmail.com', 'https://app.fastmail.com/confirm'],
  ]
  const request = (from: string, link: string) =>
    findForwardingConfirmation(
      from,
      'Verify forwarding',
      `Someone asks to forward mail to you.\nVerification code: 123456\nOpen (${link}).`,
    ) as unknown
  for (const [provider, from, link] of cases) t.deepEqual(request(from, link), { provider, code: '123456' })
  for (const path of ['vf-[A]-b', 'vf-%5BANGjdJ8%5D-x_Y', 'VF-abc'])
    for (const host of ['mail.google.com', 'mail-settings.google.com', 'isolated.mail.google.com']) {
      const link = `https://${host}/mail/${path}`
      t.deepEqual(request('forwarding-noreply@google.com', link), { provider: 'gmail', code: '123456', link })
    }
})

test('only the confirmation link on a provider’s host is offered', (t) => {
  const others = [
    'https://mail.google.com/mail/uf-%5BANGjdJ8%5D-x',
    'https://mail.google.com/mail/u/0/#settings/fwdandpop',
    'https://mail.google.com/o/oauth2/auth?client_id=evil',
    'https://mail.google.com/mail/vf-1/../../o/oauth2/auth',
    'https://mail.google.com/mail/vf-1/..%2fx',
    'https://mail.google.com/mail/vf-1?continue=https://evil.example',
    'https://mail.google.com/mail/vf-1#x',
    'https://x@mail.google.com/mail/vf-1',
    'https://mail.google.com/x/mail/vf-1',
  ]
  for (const link of others) {
    const found = findForwardingConfirmation('forwarding-noreply@google.com', 'Forwarding', `Open ${link} now`)
    t.deepEqual(found, { provider: 'gmail' }, link)
  }
  const consent = 'https://login.live.com/oauth20_authorize.srf?client_id=evil&scope=mail.read'
  const from = 'account-security-noreply@accountprotection.microsoft.com'
  t.deepEqual(findForwardingConfirmation(from, 'Verify forwarding', consent), { provider: 'outlook' })
  const later = 'https://mail.google.com/mail/uf-1 https://mail.google.com/mail/vf-2'
  t.is(
    findForwardingConfirmation('forwarding-noreply@google.com', 'Forwarding', later)?.link,
    'https://mail.google.com/mail/vf-2',
  )
})

test('other mail from the same providers is not a request', (t) => {
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

test('a customer’s mailbox at a provider is not the provider', (t) => {
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

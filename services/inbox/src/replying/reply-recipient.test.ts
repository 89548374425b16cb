import { parseMessage } from '@family-inbox/mail-reader/parse-message'
import test from 'ava'
import { mail, part } from '../../../../tests/mail-corpus/build-mail.ts'
import { explainNoRecipient, replyMailbox, resolveReplyTo } from '../models/reply-to.ts'

const OWN = { mailDomain: 'inbox.example', senderAddress: 'care@family.example' }

async function replyTo(raw: Buffer): Promise<string | undefined> {
  return replyMailbox({ ...(await parseMessage(raw)), fromMember: true }, OWN)?.address
}

test('a reply goes to the sender, or to their Reply-To', async (t) => {
  t.is(await replyTo(mail({}, 'Hi')), 'desk@clinic.example')
  t.is(await replyTo(mail({ 'Reply-To': 'Team <team@clinic.example>' }, 'Hi')), 'team@clinic.example')
  t.is(await replyTo(mail({ From: null }, 'Hi')), undefined)
})

test('a reply to a forwarded mail goes to its author, not to the forwarder', async (t) => {
  const anna = { From: 'anna@family.example', 'Reply-To': 'anna@work.example', Subject: 'Fwd: Visit' }
  const quoted =
    '---------- Forwarded message ---------\nFrom: Dr. Weber <weber@hospital.example>\nDate: Monday\n\nHello'
  t.is(await replyTo(mail(anna, quoted)), 'weber@hospital.example')
  const original = part({ From: 'weber@hospital.example', 'Reply-To': 'office@hospital.example' }, 'Hello')
  t.is(await replyTo(mail({ ...anna, 'Content-Type': 'message/rfc822' }, original)), 'office@hospital.example')
})

test('what looks like a forward redirects nothing in mail that names no member, or is not known to', async (t) => {
  const quoted = '---------- Forwarded message ---------\nFrom: Weber <weber@hospital.example>\nDate: Monday\n\nHello'
  const message = await parseMessage(mail({ From: CLINIC, Subject: 'Fwd: Visit' }, quoted))
  t.is(message.originalSender?.address, 'weber@hospital.example')
  t.is(replyMailbox({ ...message, fromMember: false }, OWN)?.address, CLINIC)
  t.is(replyMailbox(message, OWN)?.address, CLINIC)
})

test('a reply to a resent mail goes to the author’s Reply-To', async (t) => {
  const resent = { 'Resent-From': 'anna@family.example', 'Reply-To': 'team@clinic.example' }
  t.is(await replyTo(mail(resent, 'Hi')), 'team@clinic.example')
})

test('X-Original-From, which anyone can add, changes no recipient', async (t) => {
  const list = { From: '"Weber via List" <list@x.example>', 'X-Original-From': 'Weber <weber@hospital.example>' }
  t.is(await replyTo(mail(list, 'Hi')), 'list@x.example')
})

const CLINIC = 'desk@clinic.example'
const OFFICE = 'office@clinic.example'
const SPELLINGS_OF_OURS = [
  'k3v9@inbox.example',
  'K3V9@Inbox.EXAMPLE',
  'k3v9+caf_=ana=mail.example@inbox.example',
  'k3v9@inbox.example.',
  '"k3v9"@inbox.example',
  'nobody@inbox.example',
  'care@family.example',
  'Care+x@FAMILY.example',
]

for (const ours of SPELLINGS_OF_OURS)
  test(`a reply goes to the other address when the mail names ${ours}, which leads back here`, async (t) => {
    t.is(await replyTo(mail({ From: CLINIC, 'Reply-To': `<${ours}>` }, 'Hi')), CLINIC)
    t.is(await replyTo(mail({ From: `<${ours}>`, 'Reply-To': OFFICE }, 'Hi')), OFFICE)
    t.is(await replyTo(mail({ From: CLINIC, 'Reply-To': `<${ours}>, Office <${OFFICE}>` }, 'Hi')), OFFICE)
    const forwarded = `---------- Forwarded message ---------\nFrom: Weber <${CLINIC}>\nDate: Monday\n\nHello`
    t.is(await replyTo(mail({ From: `<${ours}>`, 'Reply-To': `<${ours}>` }, forwarded)), CLINIC)
    const original = (fields: Record<string, string>) =>
      mail({ From: OFFICE, 'Content-Type': 'message/rfc822' }, part({ From: CLINIC, ...fields }, 'Hello'))
    t.is(await replyTo(original({ 'Reply-To': `<${ours}>` })), CLINIC)
    t.is(await replyTo(original({ From: `<${ours}>` })), OFFICE)
  })

test('when every address leads back here, there is nobody to reply to, and it says why', async (t) => {
  for (const ours of SPELLINGS_OF_OURS) {
    const looped = await parseMessage(mail({ From: `<${ours}>`, 'Reply-To': '<k3v9@inbox.example>' }, 'Hi'))
    t.is(resolveReplyTo(looped, OWN), undefined, ours)
    t.regex(explainNoRecipient(looped, OWN), /one of this service’s own/, ours)
  }
  t.regex(explainNoRecipient(await parseMessage(mail({ From: null }, 'Hi')), OWN), /no address to reply to/)
})

test('an address that only looks like ours gets its reply', async (t) => {
  for (const other of [
    'k3v9@sub.inbox.example',
    'k3v9@inbox.example.evil',
    'a@family.example',
    'k3v9@notinbox.example',
  ])
    t.is(await replyTo(mail({ From: CLINIC, 'Reply-To': other }, 'Hi')), other)
})

test('a domain is ours in both of its forms', async (t) => {
  for (const mailDomain of ['xn--mnchen-3ya.example', 'XN--mnchen-3ya.example.'])
    for (const ours of ['k3v9@münchen.example', 'k3v9@MÜNCHEN。example', 'k3v9@xn--mnchen-3ya.example']) {
      const message = await parseMessage(mail({ From: CLINIC, 'Reply-To': `<${ours}>` }, 'Hi'))
      t.is(replyMailbox(message, { ...OWN, mailDomain })?.address, CLINIC, ours)
    }
})

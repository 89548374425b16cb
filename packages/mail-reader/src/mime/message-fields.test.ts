import test from 'ava'
import { mail } from '../../../../tests/mail-corpus/build-mail.ts'
import { readHeaderFields } from './header-fields.ts'
import {
  autoSubmittedKeyword,
  formatMailbox,
  isAutomated,
  parseMailboxes,
  readMessageFields,
} from './message-fields.ts'

const read = (fields: Record<string, string | null>) =>
  readMessageFields(readHeaderFields(mail(fields), 0, () => false).fields)

test('names are decoded and cleaned, and invalid addresses are dropped', (t) => {
  t.deepEqual(
    parseMailboxes('=?utf-8?q?J=C3=BCrgen?= <j@x.example>, "Doe, \u202eJane" <jane@x.example>, plain@x.example'),
    [
      { name: 'Jürgen', address: 'j@x.example' },
      { name: 'Doe, Jane', address: 'jane@x.example' },
      { name: '', address: 'plain@x.example' },
    ],
  )
  t.deepEqual(parseMailboxes('"a@b.example" <not an address>'), [{ name: 'a@b.example', address: '' }])
  t.deepEqual(
    parseMailboxes('Team: a@x.example, b@x.example;').map(({ address }) => address),
    ['a@x.example', 'b@x.example'],
  )
})

test('a very long address list is cut, and nested groups are ignored', (t) => {
  const many = parseMailboxes(Array.from({ length: 5000 }, (_, index) => `p${index}@x.example`).join(', '))
  t.is(many.length, 100)
  t.true(many.every(({ address }) => /^p\d+@x\.example$/.test(address)))
  t.deepEqual(parseMailboxes(`${'a:'.repeat(30)} x@y.example`), [])
})

test('without From, the sender is Sender or the return path', (t) => {
  t.is(read({ From: null, Sender: 's@x.example' }).from.address, 's@x.example')
  t.is(read({ From: 'nobody', 'Return-Path': '<r@x.example>' }).from.address, 'r@x.example')
  t.deepEqual(read({ From: 'Just a name' }).from, { name: 'Just a name', address: '' })
})

test('X-Original-From never replaces the sender, however it is written', (t) => {
  const from = { name: 'X', address: 'x@evil.example' }
  for (const author of ['desk@clinic.example', 'Clinic <desk@clinic.example>', 'Clinic: desk@clinic.example;']) {
    const found = read({ From: 'X <x@evil.example>', 'X-Original-From': author })
    t.deepEqual([found.from, found.listAuthor?.address], [from, 'desk@clinic.example'], author)
  }
})

test('ids keep their brackets, and invalid ids are dropped', (t) => {
  const { messageId, inReplyTo, references } = read({
    'Message-ID': ' <a@b> (comment)',
    'In-Reply-To': 'your message of Monday',
    References: '<1@x>\r\n <2@x> junk <3@x>',
  })
  t.is(messageId, '<a@b>')
  t.is(inReplyTo, undefined)
  t.deepEqual(references, ['<1@x>', '<2@x>', '<3@x>'])
})

test('dates may have comments, and invalid dates are dropped', (t) => {
  t.is(read({ Date: 'Tue, 5 Aug 2025 09:30:00 +0200 (CEST)' }).sentAt?.toISOString(), '2025-08-05T07:30:00.000Z')
  for (const date of ['yesterday', '', '1 Jan 0100 00:00:00 +0000', '('.repeat(30_000)]) {
    t.is(read({ Date: date }).sentAt, undefined)
  }
})

test('each Received field counts as a hop', (t) => {
  const raw = Buffer.from('Received: a\r\nReceived: b\r\n\tc\r\nSubject: x\r\n\r\n')
  t.is(readMessageFields(readHeaderFields(raw, 0, () => false).fields).receivedHops, 2)
})

test('a mailbox is formatted the usual way', (t) => {
  t.is(formatMailbox({ name: 'Anna', address: 'a@x.example' }), 'Anna <a@x.example>')
  t.is(formatMailbox({ name: '', address: 'a@x.example' }), 'a@x.example')
  t.is(formatMailbox({ name: 'Anna', address: '' }), 'Anna')
})

const field = (name: string, value: string) => [{ name, value }]

test('auto-submitted, list and bulk mail, reports and bounces are automated', (t) => {
  for (const value of ['auto-generated', 'Auto-Replied; owner=x', 'auto-notified'])
    t.true(isAutomated(field('auto-submitted', value)))
  for (const value of ['bulk', 'list', 'Junk', 'auto_reply']) t.true(isAutomated(field('precedence', value)))
  t.true(isAutomated(field('list-id', 'News <news.example>')))
  t.true(isAutomated(field('content-type', 'multipart/report; report-type=delivery-status')))
  t.true(isAutomated(field('return-path', '<>')))
  t.true(isAutomated([], true))
})

test('a person’s mail is not automated, even if it suppresses automatic replies', (t) => {
  t.false(isAutomated([]))
  t.false(isAutomated(field('auto-submitted', 'No (by hand)')))
  t.false(isAutomated(field('precedence', 'first-class')))
  t.false(isAutomated(field('x-auto-response-suppress', 'All')))
  t.false(isAutomated(field('return-path', '<anna@family.example>')))
})

test('the Auto-Submitted keyword is lower case, without parameters', (t) => {
  t.is(autoSubmittedKeyword(field('auto-submitted', 'Auto-Replied; x=y')), 'auto-replied')
  t.is(autoSubmittedKeyword([]), undefined)
})

import { Category, type InboxEntry } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { openQuestions } from './open-questions.ts'

const now = new Date('2026-05-12T12:00:00Z')
const clock = { locale: 'en-GB', timeZone: 'Europe/Lisbon', now }

function entry(
  subject: string,
  more: Partial<InboxEntry> = {},
  category: Category = Category.OTHER,
  daysAgo = 1,
): InboxEntry {
  const receivedAt = new Date(now.getTime() - daysAgo * 86_400_000)
  const message = { id: subject, subject, preview: '', category, receivedAt, attachmentCount: 0, asksFor: [] }
  return {
    message: { ...message, sender: undefined, originalSender: undefined },
    lovedOneId: 'lo_1',
    unread: false,
    replied: false,
    repliedBy: [],
    forwardingConfirmation: false,
    ...more,
  }
}

const asked = (...entries: InboxEntry[]) => openQuestions(entries, clock).map(({ message }) => message?.subject)

test('mail that asks something and has no reply may need an answer', (t) => {
  t.deepEqual(asked(entry('Can you come on Monday?'), entry('Visit plan'), entry('Please confirm by Friday')), [
    'Can you come on Monday?',
    'Please confirm by Friday',
  ])
})

test('what was answered, is old, or was written by a program does not', (t) => {
  t.deepEqual(
    asked(
      entry('Answered?', { replied: true }),
      entry('Confirm forwarding?', { forwardingConfirmation: true }),
      entry('Newsletter?', {}, Category.AUTOMATED),
      entry('Old?', {}, Category.OTHER, 20),
    ),
    [],
  )
})

test('mail that names a day for its answer may need one, in any language, until that day', (t) => {
  const ask = 'Bitte geben Sie uns bis Freitag Bescheid'
  t.deepEqual(asked(entry(ask), entry('Wir melden uns bis Freitag')), [ask])
  t.deepEqual(asked(entry(ask, {}, Category.OTHER, 10)), [])
})

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

const STOCK_LINES = [
  'Questions? Call 555-0100.',
  'Questions? Please call us at 555-0100.',
  'Questions or concerns? Call our office.',
  'Any questions? Reply to this email.',
  'Have questions? Visit our website.',
  'Have a question? Contact us.',
  'Got a question? Text us at 555-0100.',
  'If you have any questions, please call 555-0100.',
  'If you have questions about your bill, please contact billing.',
  'If you have any questions or concerns, please do not hesitate to contact us.',
  'Should you have any questions, please contact our office at 555-0100.',
  'For questions, call the number on your card.',
  'For questions about this notice, please call us.',
  'With any questions, please contact your care team.',
  'More questions? See the portal.',
  'Further questions? Please let us know.',
  'Need help? Call us.',
  'Need assistance? Please contact member services.',
  'Need help with your account? Visit our help pages.',
  'If you need help, please call 555-0100.',
]

for (const line of STOCK_LINES)
  test(`nobody waits for an answer to “${line}”`, (t) => {
    t.deepEqual(asked(entry(`Your results are in. ${line}`)), [])
    t.is(asked(entry(`Can you come on Monday? ${line}`)).length, 1)
  })

const REAL_QUESTIONS = [
  'Can you help on Monday? Please call me.',
  'Did you get my question?',
  'I have a question for you, please call me.',
  'I have some concerns about Mom, please call me tonight.',
  'We have questions about Rosa’s insurance. Please call us today.',
  'The doctor has a question: can you call him?',
  'Need help with lunch on Friday? Please reply.',
  'Do you need help getting her to the visit on Monday?',
  'I need help, can you call?',
]

for (const line of REAL_QUESTIONS)
  test(`somebody waits for an answer to “${line}”`, (t) => t.deepEqual(asked(entry(line)), [line]))

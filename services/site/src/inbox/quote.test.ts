import type { MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { quoteOf } from './quote.ts'

const clock = { locale: 'en-US', timeZone: 'UTC', now: new Date('2026-05-14T10:00:00Z') }
const message = {
  sender: { name: 'Luis', address: 'luis@example.org' },
  receivedAt: new Date('2026-05-12T09:00:00Z'),
} as MessageSummary

test('a quote says who wrote and when, and marks every line', (t) => {
  t.is(quoteOf({ message, body: 'Monday?\r\n\r\nDesk\n' }, clock), 'On Tue May 12, Luis wrote:\n> Monday?\n>\n> Desk')
})

test('forwarded mail is quoted as its author’s, and a long message leaves space for the reply', (t) => {
  const forwarded = { ...message, originalSender: { name: 'Dr. Costa', address: 'costa@clinic.example' } }
  const quote = quoteOf({ message: forwarded, body: 'x'.repeat(20_000) }, clock)
  t.true(quote.includes('Dr. Costa wrote:'))
  t.true(quote.length < 8100)
})

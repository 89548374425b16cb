import test from 'ava'
import { type ForwardedMessage, forwardedText, forwardSubject } from './forwarded-text.ts'

const message: ForwardedMessage = {
  from: { name: 'Desk', address: 'desk@clinic.example' },
  to: [
    { name: '', address: 'rosa@almeida.example' },
    { name: 'Ana', address: 'ana@almeida.example' },
  ],
  subject: 'Results',
  sentAt: new Date('2026-11-20T10:00:00Z'),
  receivedAt: new Date('2026-11-21T10:00:00Z'),
  text: 'All is well.',
}
const about = { lovedOneName: 'Rosa Almeida' }

test('a forwarded message shows who wrote it, when, to whom, and whose mail it is', (t) => {
  t.is(
    forwardedText(message, about),
    `---------- Forwarded message ----------
From: Desk <desk@clinic.example>
Date: Fri, 20 Nov 2026 10:00:00 GMT
Subject: Results
To: rosa@almeida.example, Ana <ana@almeida.example>
About: Rosa Almeida

All is well.`,
  )
})

test('mail without a date has that of its arrival, and mail to nobody names nobody', (t) => {
  const { sentAt: _, ...undated } = message
  const text = forwardedText({ ...undated, to: [] }, about)
  t.regex(text, /^Date: Sat, 21 Nov 2026 10:00:00 GMT$/m)
  t.notRegex(text, /^To:/m)
})

test('a very long text is cut, and says so', (t) => {
  const text = forwardedText({ ...message, text: 'é'.repeat(200_000) }, about)
  t.true(text.length < 101_000)
  t.regex(text, /The rest of this long message is not shown\.\]$/)
})

test('a subject gets one prefix, in whatever language it has one', (t) => {
  t.is(forwardSubject({ subject: 'Results' }), 'Fwd: Results')
  for (const subject of ['Fwd: Results', 'WG: Results', 'Enc: Results']) t.is(forwardSubject({ subject }), subject)
})

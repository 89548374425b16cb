import test from 'ava'
import { readOwnWords } from './own-words.ts'

const QUOTE = 'On Mon, Nov 2, 2026 at 9:00 AM Family Care Inbox <care@x.example> wrote:\n\n> You have new mail.'

const CASES: [what: string, text: string, own: string][] = [
  ['words alone', '\nTuesday, please.\n\nAna\n', 'Tuesday, please.\n\nAna'],
  ['a quote', `Tuesday, please.\n\n${QUOTE}`, 'Tuesday, please.'],
  ['a signature', 'Tuesday, please.\n-- \nAna Almeida\n+351 210 000 000', 'Tuesday, please.'],
  ['a signature without its space, above a quote', `Tuesday.\n--\nAna\n\n${QUOTE}`, 'Tuesday.'],
  ['a phone', `Tuesday.\n\nSent from my iPhone\n\n${QUOTE}`, 'Tuesday.'],
  ['a phone with Outlook', 'Tuesday.\n\nGet Outlook for Android', 'Tuesday.'],
  [
    'a phone in the letter',
    'Sent from my iPhone is what it says.\nTuesday.',
    'Sent from my iPhone is what it says.\nTuesday.',
  ],
  ['a line of dashes', 'First\n---\nsecond', 'First\n---\nsecond'],
  ['nothing but a quote', QUOTE, ''],
  ['nothing but a signature', '-- \nAna', ''],
]

for (const [what, text, own] of CASES)
  test(`what somebody answers, without quote and signature: ${what}`, (t) => t.is(readOwnWords(text), own))

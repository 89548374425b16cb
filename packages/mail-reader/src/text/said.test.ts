import test from 'ava'
import { countContacts, readSaid } from './said.ts'

const numbersIn = (text: string) => [...readSaid(text).numbers]

test('numbers are the same however their digits are separated', (t) => {
  t.deepEqual(numbersIn('at 08:15, 2,5 mg, 1,200 ml on 3.5.2026'), ['8.15', '2.5', '1200', '3.5.2026'])
  t.deepEqual(numbersIn('٢٫٥ ملغ'), ['٢', '٥'])
})

test('telephone numbers, addresses and the year of a copyright are not numbers of a letter', (t) => {
  for (const text of [
    '555-0100',
    '+49 30 1234-567',
    '(030) 123 456',
    '1-800-555-0100',
    'https://a.example/2026/3',
    '© 2024–2026',
  ])
    t.deepEqual(numbersIn(`Call ${text}`), [], text)
  t.deepEqual(numbersIn('2026-11-25 at 10:30, 11:15'), ['2026.11.25', '10.30', '11.15'])
})

test('words count without case, accents and soft hyphens, and by pairs where there are no spaces', (t) => {
  t.deepEqual([...readSaid('Für RO\u00adSA, a b').words], ['fur', 'rosa'])
  t.deepEqual([...readSaid('今夜は').words], ['今夜', '夜は'])
})

test('contacts are telephone numbers, addresses, postal codes and copyrights', (t) => {
  t.is(countContacts('12 Main Street, Springfield 62704, 555-0100, desk@clinic.example'), 3)
  t.is(countContacts('© 2026 Riverside'), 1)
  t.is(countContacts('The dose of 2.5 mg on 3 May 2026 at 8:15'), 0)
})

import test from 'ava'
import fc from 'fast-check'
import { readSearchTerms } from './search-terms.ts'

const clock = { locale: 'en-GB', timeZone: 'Europe/Lisbon', now: new Date('2026-05-12T23:30:00Z') }
const read = (text: string) => readSearchTerms(text, clock)

test('operators are split from words, phrases, times and addresses', (t) => {
  t.deepEqual(read('blood "in room" 10:30 desk@clinic.example from:Osei has:file after:2026-05-01 before:2026-06-01'), {
    words: 'blood "in room" 10:30 desk@clinic.example',
    from: ['Osei'],
    hasFile: true,
    since: '2026-05-01',
    before: '2026-06-01',
    problems: [],
  })
  t.is(read('re:visit note:this').words, 're:visit note:this')
})

test('a sender may be quoted, spaced, an address, or several', (t) => {
  t.deepEqual(read('from:"Dr. Émile Osei" FROM: luis from:desk@clinic.example').from, [
    'Dr. Émile Osei',
    'luis',
    'desk@clinic.example',
  ])
})

const DAYS: [string, string][] = [
  ['2026-05-01', '2026-05-01'],
  ['2026-5-1', '2026-05-01'],
  ['2026/05/01', '2026-05-01'],
  ['2026.05.01', '2026-05-01'],
  ['2026-05', '2026-05-01'],
  ['2026', '2026-01-01'],
  ['1.5.2026', '2026-05-01'],
  ['31/12/2025', '2025-12-31'],
  ['12/31/2025', '2025-12-31'],
  ['today', '2026-05-13'],
  ['Yesterday', '2026-05-12'],
]
for (const [written, day] of DAYS)
  test(`after:${written} and before:${written} are understood`, (t) => {
    t.like(read(`after:${written}`), { since: day, problems: [] })
    t.like(read(`before:${written}`), { before: day, problems: [] })
  })

for (const written of [
  'before:soon',
  'after:2026-13-01',
  'before:2026-02-30',
  'after:3/4/2026',
  'before:',
  'has:pdfs',
  'has:',
  'from:',
  'from:""',
  'from:!',
])
  test(`“${written}” gets a message that names what is allowed`, (t) => {
    t.regex(
      read(written).problems.join(),
      /takes (?:a date, such as (?:after|before):2026-05-01|“file”|a name or an address)/,
    )
  })

test('any text is read', (t) => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => Array.isArray(read(text).problems)))
  t.is(read(`from:"${'a'.repeat(200)}`).problems.length, 1, 'a quote that does not end')
})

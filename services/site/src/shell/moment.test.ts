import test from 'ava'
import { betweenDays, dayOf, momentOf, nameOfDay, timeOf, whenOf } from './moment.ts'
import { readClock } from './reader-clock.ts'

const noon = new Date('2026-05-12T12:00:00Z')
const clockOf = (language: string | undefined, timeZone = '') => ({ ...readClock(language, timeZone), now: noon })
const at = (text: string) => new Date(text)
const wordsOf = ({ text }: { text: string }) => text.replaceAll(/<[^>]+>/g, '')

const habits: [string | undefined, string, string][] = [
  ['en-GB,en;q=0.9', 'Sat 2 May, 15:05', 'a person in Britain'],
  ['en-US,en;q=0.9', 'Sat May 2, 3:05 PM', 'a person in the United States'],
  ['en,en-US;q=0.9', 'Sat May 2, 3:05 PM', 'a reader of English without a country'],
  ['de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'Sat 2 May, 15:05', 'a person in Germany with American English last'],
  ['pt-BR', 'Sat 2 May, 15:05', 'a person in Brazil'],
  ['ja', 'Sat May 2, 15:05', 'a person in Japan'],
  ['es-US', 'Sat 2 May, 3:05 PM', 'a person who speaks Spanish in the United States'],
  [undefined, 'Sat 2 May, 15:05', 'a browser without a language'],
  ['*', 'Sat 2 May, 15:05', 'a browser that accepts any language'],
  ['x;;,,\0, !!', 'Sat 2 May, 15:05', 'an invalid header'],
]
for (const [language, expected, reader] of habits)
  test(`${reader} reads ${expected}`, (t) => {
    const clock = clockOf(language, 'Europe/Lisbon')
    t.is(
      wordsOf(whenOf(at('2026-05-02T14:05:00Z'), clock))
        .replaceAll(/\s/gu, ' ')
        .replace(/\b(am|pm)\b/, (m) => m.toUpperCase()),
      expected,
    )
  })

test('today and yesterday follow the reader’s time zone, and other years are shown', (t) => {
  const clock = clockOf('en-GB', 'Pacific/Auckland')
  t.is(wordsOf(whenOf(at('2026-05-12T02:05:00Z'), clock)), 'yesterday 14:05')
  t.is(wordsOf(whenOf(at('2026-05-12T12:05:00Z'), clock)), 'today 00:05')
  t.is(wordsOf(dayOf(at('2024-05-12T12:05:00Z'), clock)), '13 May 2024')
  t.is(nameOfDay('2026-05-14', clock), 'Tomorrow')
  t.is(nameOfDay('2026-05-13', clock), 'Today')
  t.is(nameOfDay('2026-05-12', clock), 'Yesterday')
  t.is(nameOfDay('2026-05-02', clock), 'Sat 2 May')
})

test('times are marked as UTC until the time zone is known, and have a full form as title', (t) => {
  for (const timeZone of ['', 'Nowhere/Else', '../etc', 'x'.repeat(300)]) {
    t.is(wordsOf(timeOf(at('2026-05-12T02:05:00Z'), clockOf('en-GB', timeZone))), '02:05 UTC')
    t.is(wordsOf(momentOf(at('2026-05-12T02:05:00Z'), clockOf('en-GB', timeZone))), 'Tuesday, 12 May 2026 at 02:05 UTC')
  }
  const { text } = timeOf(at('2026-05-12T02:05:00Z'), clockOf('en-GB', 'Europe/Lisbon'))
  t.is(text, '<time datetime="2026-05-12T02:05:00.000Z" title="Tuesday, 12 May 2026 at 03:05">03:05</time>')
})

test('a range of days is formatted in words', (t) => {
  t.is(betweenDays('2026-05-03', '2026-05-05', clockOf('en-GB')), 'between 3 and 5 May')
  t.is(betweenDays('2026-04-30', '2026-05-05', clockOf('en-GB')), 'between 30 April and 5 May')
  t.is(betweenDays('2026-05-03', '2026-05-05', clockOf('en-US')), 'between May 3 and 5')
  t.is(betweenDays('2026-04-30', '2026-05-05', clockOf('en-US', 'Pacific/Kiritimati')), 'between April 30 and May 5')
})

import test from 'ava'
import { months } from './month.ts'

const now = new Date('2026-05-12T12:00:00Z')
const clockOf = (locale: string) => ({ locale, timeZone: 'UTC', now })
const data = { today: '2026-05-12', busy: new Set(['2026-05-31']) }

test('a month begins on the reader’s first weekday', (t) => {
  const firstWeek = (locale: string) => {
    const [, week = ''] = /<tbody><tr>(.*?)<\/tr>/s.exec(months({ ...data, clock: clockOf(locale) }).text) ?? []
    return week.match(/<td><\/td>/g)?.length
  }
  // The first of May 2026 is a Friday.
  t.is(firstWeek('en-GB'), 4)
  t.is(firstWeek('en-US'), 5)
})

test('two months are shown, with today, and days with appointments lead to the list', (t) => {
  const { text } = months({ ...data, clock: clockOf('en-GB') })
  t.deepEqual(
    [...text.matchAll(/<caption>(.*?)<\/caption>/g)].map(([, name]) => name),
    ['May 2026', 'June 2026'],
  )
  t.regex(text, /<td aria-current="date"><span>12<\/span>/)
  t.deepEqual(text.match(/<a href="#day-[^>]+>31<\/a>/g), ['<a href="#day-2026-05-31" aria-label="Sun 31 May">31</a>'])
  t.is(text.match(/<(span|a [^>]+)>\d+</g)?.length, 31 + 30)
})

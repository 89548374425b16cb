import test from 'ava'
import { groupByTime } from './list-pane.ts'

const clock = { locale: 'en-GB', timeZone: 'Europe/Lisbon', now: new Date('2026-05-12T09:00:00Z') }

test('messages are grouped by the reader’s days, then by month', (t) => {
  const times = [
    '2026-05-12T08:00:00Z',
    '2026-05-11T23:30:00Z',
    '2026-05-11T22:30:00Z',
    '2026-05-07T12:00:00Z',
    '2026-05-06T00:00:00Z',
    '2026-05-02T12:00:00Z',
    '2026-04-30T12:00:00Z',
    '2025-05-02T12:00:00Z',
  ].map((time) => new Date(time))
  t.deepEqual(
    groupByTime(times, (time) => time, clock).map(({ name, items }) => [name, items.length]),
    [
      ['Today', 2],
      ['Yesterday', 1],
      ['This week', 2],
      ['May 2026', 1],
      ['April 2026', 1],
      ['May 2025', 1],
    ],
  )
})

import test from 'ava'
import { shiftDay, startOfDay } from './calendar-day.ts'

const days: [string, string, string | undefined][] = [
  ['2026-05-12', 'UTC', '2026-05-12T00:00:00.000Z'],
  ['2026-05-12', 'Europe/Lisbon', '2026-05-11T23:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ['2026-01-01', 'Asia/Kolkata', '2025-12-31T18:30:00.000Z'],
  ['2026-02-30', 'UTC', undefined],
  ['2026-2-3', 'UTC', undefined],
  ['', 'UTC', undefined],
  ['tomorrow', 'UTC', undefined],
]
for (const [day, timeZone, expected] of days)
  test(`“${day}” in ${timeZone} starts at ${expected ?? 'no time (invalid)'}`, (t) => {
    t.is(startOfDay(day, { timeZone })?.toISOString(), expected)
  })

test('days shift across months and years', (t) => {
  t.is(shiftDay('2026-02-28', 1), '2026-03-01')
  t.is(shiftDay('2026-12-31', 1), '2027-01-01')
  t.is(shiftDay('2026-01-01', -1), '2025-12-31')
})

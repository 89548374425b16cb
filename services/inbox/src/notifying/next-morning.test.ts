import test from 'ava'
import { nextMonday, nextMorning } from './next-morning.ts'

const next = (after: string, timeZone: string) => nextMorning(new Date(after), timeZone).toISOString()

test('before 8:00 the next morning is today, otherwise tomorrow', (t) => {
  t.is(next('2026-05-12T07:59:59Z', 'UTC'), '2026-05-12T08:00:00.000Z')
  t.is(next('2026-05-12T08:00:00Z', 'UTC'), '2026-05-13T08:00:00.000Z')
})

test('the time is 8:00 local time in any zone, also when clocks change', (t) => {
  t.is(next('2026-05-12T12:00:00Z', 'Europe/Lisbon'), '2026-05-13T07:00:00.000Z')
  t.is(next('2026-12-31T23:30:00Z', 'Asia/Kolkata'), '2027-01-01T02:30:00.000Z')
  t.is(next('2026-05-12T20:00:00Z', 'Pacific/Auckland'), '2026-05-13T20:00:00.000Z')
  t.is(next('2026-05-12T02:00:00Z', 'America/Los_Angeles'), '2026-05-12T15:00:00.000Z')
  // Daylight saving changes.
  t.is(next('2026-03-28T12:00:00Z', 'Europe/Berlin'), '2026-03-29T06:00:00.000Z')
  t.is(next('2026-10-24T12:00:00Z', 'Europe/Berlin'), '2026-10-25T07:00:00.000Z')
  t.is(next('2026-03-08T09:59:00Z', 'America/New_York'), '2026-03-08T12:00:00.000Z')
})

test('a year has one morning a day', (t) => {
  for (const timeZone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia']) {
    let at = new Date('2026-01-01T00:00:00Z')
    for (let day = 0; day < 366; day += 1) {
      const morning = nextMorning(at, timeZone)
      const hours = (morning.getTime() - at.getTime()) / 3_600_000
      if (day > 0) t.true(hours >= 23 && hours <= 25, `${timeZone} ${morning.toISOString()}`)
      at = morning
    }
  }
})

test('a Monday is the one of the person’s own zone', (t) => {
  const monday = (after: string, timeZone: string) => nextMonday(new Date(after), timeZone).toISOString()
  t.is(monday('2026-05-10T12:00:00Z', 'UTC'), '2026-05-11T08:00:00.000Z')
  t.is(monday('2026-05-11T08:00:00Z', 'UTC'), '2026-05-18T08:00:00.000Z')
  t.is(monday('2026-05-10T19:00:00Z', 'Pacific/Auckland'), '2026-05-10T20:00:00.000Z')
  t.is(monday('2026-05-11T14:00:00Z', 'America/Los_Angeles'), '2026-05-11T15:00:00.000Z')
  t.is(monday('2026-10-20T12:00:00Z', 'Europe/Berlin'), '2026-10-26T07:00:00.000Z', 'after the clocks change')
})

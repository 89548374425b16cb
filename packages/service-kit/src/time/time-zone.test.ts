import test from 'ava'
import { fromWallTime, isTimeZone, toWallTime } from './time-zone.ts'

test('an invalid time zone is rejected', (t) => {
  for (const name of ['', 'Nowhere/Town', '../etc', 'UTC\n', 'a'.repeat(80)]) t.false(isTimeZone(name), name)
  for (const name of ['UTC', 'Europe/Lisbon', 'America/Argentina/Buenos_Aires']) t.true(isTimeZone(name), name)
})

test('a wall time and its moment agree, also on days when clocks change', (t) => {
  for (const timeZone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata'])
    for (let day = 0; day < 366; day += 1) {
      const wall = Date.UTC(2026, 0, 1 + day, 8)
      t.is(toWallTime(fromWallTime(wall, timeZone), timeZone), wall, `${timeZone} ${day}`)
    }
})

test('of an hour that comes twice, the first counts, and a skipped time is later', (t) => {
  const at = (wall: string, timeZone: string) => fromWallTime(Date.parse(`${wall}Z`), timeZone).toISOString()
  t.is(at('2026-10-25T02:30:00', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z')
  t.is(at('2026-11-01T01:30:00', 'America/New_York'), '2026-11-01T05:30:00.000Z')
  t.is(at('2026-03-08T02:30:00', 'America/New_York'), '2026-03-08T07:30:00.000Z')
  t.is(at('2026-03-29T02:30:00', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z')
  t.is(at('2026-04-05T02:30:00', 'Australia/Sydney'), '2026-04-04T15:30:00.000Z')
})

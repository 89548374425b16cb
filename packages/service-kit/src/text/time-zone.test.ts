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

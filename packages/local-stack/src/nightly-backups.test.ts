import test from 'ava'
import { lastNight, nextNight } from './nightly-backups.ts'

test('a night is at half past three by the clock of this machine', (t) => {
  const at = (hours: number, minutes: number) => new Date(2026, 10, 27, hours, minutes)
  const night = (day: number) => new Date(2026, 10, day, 3, 30)
  t.deepEqual([lastNight(at(3, 29)), nextNight(at(3, 29))], [night(26), night(27)])
  t.deepEqual([lastNight(at(3, 30)), nextNight(at(3, 30))], [night(27), night(28)])
  t.deepEqual([lastNight(at(23, 0)), nextNight(at(23, 0))], [night(27), night(28)])
})

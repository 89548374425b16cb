import test from 'ava'
import { WORKS } from './costs.ts'
import { arrivalsAt, MINUTES, PER_DAY, peakPerSecond } from './family-day.ts'

const minutes = Array.from({ length: MINUTES }, (_, minute) => minute)

test('the minutes of a day add up to what a family does in a day', (t) => {
  for (const work of WORKS) {
    const all = minutes.reduce((sum, minute) => sum + arrivalsAt(minute, 1000)[work], 0)
    t.true(Math.abs(all - 1000 * PER_DAY[work]) < 1e-6 * all, work)
  }
})

test('assistants call on the hour, and digests are due at eight', (t) => {
  t.true(arrivalsAt(7 * 60, 1).call > 5 * arrivalsAt(7 * 60 + 1, 1).call)
  const busiest = minutes.toSorted(
    (one, other) => arrivalsAt(other, 1).notification - arrivalsAt(one, 1).notification,
  )[0]
  t.is(busiest, 8 * 60)
})

test('twice as many families make twice the peak', (t) => {
  for (const work of WORKS) {
    const [one, two] = [peakPerSecond(work, 1), peakPerSecond(work, 2)]
    t.true(Math.abs(two.ofMinute - 2 * one.ofMinute) < 1e-9)
    t.true(one.ofMinute > 0.999 * one.ofHour)
  }
})

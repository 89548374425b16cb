import test from 'ava'
import { groupByDay, shiftDay } from './days.ts'
import { findGaps, findSilences } from './gaps.ts'

const rosa = { id: 'lo_rosa', name: 'Rosa', position: 0 }
const joao = { id: 'lo_joao', name: 'João', position: 1 }
const clock = { locale: 'en-GB', timeZone: 'Europe/Lisbon', now: new Date('2026-05-12T12:00:00Z') }

const event = (occurredAt: string, source = 'Sunrise', lovedOne = rosa) => ({
  id: occurredAt,
  type: 'note_added',
  lovedOne,
  occurredAt: new Date(occurredAt),
  receivedAt: new Date(occurredAt),
  source,
})

test('three silent days are a gap, a weekend is none', (t) => {
  const events = [event('2026-05-06T08:00:00Z'), event('2026-05-02T08:00:00Z'), event('2026-04-29T08:00:00Z')]
  t.deepEqual(findGaps(events, clock), [
    { lovedOneName: 'Rosa', source: 'Sunrise', firstDay: '2026-05-03', lastDay: '2026-05-05' },
  ])
})

test('each agency, and each loved one, is silent by itself', (t) => {
  const events = [
    event('2026-05-08T08:00:00Z'),
    event('2026-05-06T08:00:00Z', 'Nightingale'),
    event('2026-05-06T07:00:00Z', 'Sunrise', joao),
    event('2026-05-03T08:00:00Z'),
    event('2026-05-01T08:00:00Z', 'Sunrise', joao),
  ]
  t.deepEqual(
    findGaps(events, clock).map(({ lovedOneName, firstDay, lastDay }) => [lovedOneName, firstDay, lastDay]),
    [
      ['Rosa', '2026-05-04', '2026-05-07'],
      ['João', '2026-05-02', '2026-05-05'],
    ],
  )
})

test('days are the reader’s: what happened at half past midnight in Lisbon is of the new day', (t) => {
  const events = [event('2026-05-05T23:30:00Z'), event('2026-05-02T08:00:00Z')]
  t.deepEqual(
    groupByDay(events, clock).map(({ day }) => day),
    ['2026-05-06', '2026-05-02'],
  )
  t.is(findGaps(events, clock).length, 1)
  t.is(findGaps(events, { ...clock, timeZone: 'UTC' }).length, 0)
})

test('an agency that has sent nothing for days is silent until yesterday', (t) => {
  t.deepEqual(findSilences([event('2026-05-08T08:00:00Z')], clock), [
    { lovedOneName: 'Rosa', source: 'Sunrise', firstDay: '2026-05-09', lastDay: '2026-05-11' },
  ])
  t.deepEqual(findSilences([event('2026-05-09T08:00:00Z')], clock), [])
  t.deepEqual(findSilences([], clock), [])
})

test('a day after the last of a month is the first of the next', (t) => {
  t.is(shiftDay('2026-02-28', 1), '2026-03-01')
  t.is(shiftDay('2026-01-01', -1), '2025-12-31')
})

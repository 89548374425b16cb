import test from 'ava'
import { groupByDay } from './day.ts'
import { findGaps, findOpenGaps } from './gaps.ts'

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

test('three days without events are a gap, a weekend is not', (t) => {
  const events = [event('2026-05-06T08:00:00Z'), event('2026-05-02T08:00:00Z'), event('2026-04-29T08:00:00Z')]
  t.deepEqual(findGaps(events, clock), [
    { lovedOneName: 'Rosa', source: 'Sunrise', firstDay: '2026-05-03', lastDay: '2026-05-05' },
  ])
})

test('gaps are per agency and per loved one', (t) => {
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

test('days follow the reader’s time zone: half past midnight in Lisbon belongs to the new day', (t) => {
  const events = [event('2026-05-05T23:30:00Z'), event('2026-05-02T08:00:00Z')]
  t.deepEqual(
    groupByDay(events, clock).map(({ day }) => day),
    ['2026-05-06', '2026-05-02'],
  )
  t.is(findGaps(events, clock).length, 1)
  t.is(findGaps(events, { ...clock, timeZone: 'UTC' }).length, 0)
})

test('an open gap ends yesterday', (t) => {
  t.deepEqual(findOpenGaps([event('2026-05-08T08:00:00Z')], clock), [
    { lovedOneName: 'Rosa', source: 'Sunrise', firstDay: '2026-05-09', lastDay: '2026-05-11' },
  ])
  t.deepEqual(findOpenGaps([event('2026-05-09T08:00:00Z')], clock), [])
  t.deepEqual(findOpenGaps([], clock), [])
})

import test from 'ava'
import { glanceColumn, glanceOf, visitTotal } from './at-a-glance.ts'
import type { Details, TimelineEvent } from './event.ts'

const clock = { locale: 'en-GB', timeZone: 'UTC', now: new Date('2026-05-12T12:00:00Z') }
const lovedOne = { id: 'lo_1', name: 'Rosa', position: 0 }

function event(hoursAgo: number, details: Details, lateHours = 0): TimelineEvent {
  const occurredAt = new Date(clock.now.getTime() - hoursAgo * 3_600_000)
  const receivedAt = new Date(occurredAt.getTime() + lateHours * 3_600_000)
  return { id: `${hoursAgo}`, type: details.kind, lovedOne, occurredAt, receivedAt, source: 'Sunrise', details }
}
const weight = (value: string): Details => ({
  kind: 'vital_recorded',
  vital: 'weight',
  value,
  secondValue: '',
  unit: 'kg',
})
const dose: Details = { kind: 'med_administered', name: 'Metformin', amount: '500', unit: 'mg' }

test('the column has the newest readings, the week’s visits, the day’s medication and what came late', (t) => {
  const readings = [event(2, weight('61.2')), event(50, weight('60.8'))]
  const week = [
    event(2, { kind: 'visit_ended', minutes: 45 }),
    event(3, dose),
    event(30, dose),
    event(60, { kind: 'visit_ended', minutes: 60 }, 75),
  ]
  const glance = glanceOf(week, readings, clock.now)
  t.is(glance.visits.length, 2)
  t.is(glance.medication.length, 1, 'yesterday’s is over')
  t.deepEqual(
    glance.late.map(({ id }) => id),
    ['60'],
  )
  const { text } = glanceColumn(glance, clock, { lovedOne, several: false })
  t.regex(text, /From 60\.8 kg to 61\.2 kg in 2 readings/, 'the chart has a text')
  t.regex(text, /2 visits, 1 hour 45 minutes in all/)
  t.regex(text, /sent 3 days later/)
  t.regex(text, /href="\/timeline\/lo_1\/medication"/)
})

test('with nothing to show, each part says so', (t) => {
  const { text } = glanceColumn(glanceOf([], [], clock.now), clock, { lovedOne: undefined, several: false })
  t.regex(text, /None yet/)
  t.regex(text, /No visits were sent/)
  t.regex(text, /None recorded/)
  t.is(visitTotal([{ minutes: 30 }]), '1 visit, 30 minutes in all')
})

import test from 'ava'
import type { Details, TimelineEvent } from './event.ts'
import { groupVisits, isVisit } from './visits.ts'

const ROSA = { id: 'lo_1', name: 'Rosa', position: 0 }

function event(id: string, time: string, details?: Details, more: Partial<TimelineEvent> = {}): TimelineEvent {
  const occurredAt = new Date(`2026-05-12T${time}:00Z`)
  return { id, type: id, lovedOne: ROSA, occurredAt, receivedAt: occurredAt, source: 'Sunrise', details, ...more }
}
const started: Details = { kind: 'visit_started', location: '' }
const ended: Details = { kind: 'visit_ended', minutes: 45 }
const note: Details = { kind: 'note_added', text: 'Fine.', summary: '' }

/** Newest first, as the page reads them. */
const shapeOf = (...events: TimelineEvent[]) =>
  groupVisits(events.toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime())).map((entry) =>
    isVisit(entry)
      ? [entry.started?.id ?? '-', ...entry.during.map(({ id }) => id), entry.ended.id].join(' ')
      : entry.id,
  )

test('arrival, notes and departure are one visit', (t) => {
  const shape = shapeOf(
    event('before', '08:00', note),
    event('in', '09:00', started),
    event('first', '09:10', note),
    event('second', '09:30', note),
    event('out', '09:45', ended),
    event('saved on the way out', '09:50', note),
    event('after', '11:00', note),
  )
  t.deepEqual(shape, ['after', 'in first second saved on the way out out', 'before'])
})

test('a visit whose arrival was not sent begins by its length', (t) => {
  t.deepEqual(shapeOf(event('early', '08:50', note), event('note', '09:10', note), event('out', '09:45', ended)), [
    '- note out',
    'early',
  ])
})

test('a caregiver who is still there has only arrived', (t) => {
  t.deepEqual(shapeOf(event('in', '09:00', started), event('note', '09:10', note)), ['note', 'in'])
})

test('two visits, two agencies and two loved ones stay apart', (t) => {
  const other = { source: 'Nightingale' }
  const joao = { lovedOne: { id: 'lo_2', name: 'João', position: 1 } }
  const shape = shapeOf(
    event('in 1', '09:00', started),
    event('theirs', '09:10', note, other),
    event('his', '09:15', note, joao),
    event('out 1', '09:45', ended),
    event('in 2', '14:00', started),
    event('out 2', '14:45', ended),
  )
  t.deepEqual(shape, ['in 2 out 2', 'in 1 out 1', 'his', 'theirs'])
})

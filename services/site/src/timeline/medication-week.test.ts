import test from 'ava'
import type { TimelineEvent } from './event.ts'
import { medicationToday, medicationWeek } from './medication-week.ts'

const clock = { locale: 'en-US', timeZone: 'America/New_York', now: new Date('2026-05-14T16:00:00Z') }
const lovedOne = { id: 'lo_1', name: 'Rosa', position: 0 }

const dose = (name: string, at: string, plannedAt?: string): TimelineEvent => ({
  id: at,
  type: 'med_administered',
  lovedOne,
  occurredAt: new Date(at),
  receivedAt: new Date(at),
  source: 'Sunrise',
  details: {
    kind: 'med_administered',
    name,
    amount: '5',
    unit: 'mg',
    ...(plannedAt && { scheduledAt: new Date(plannedAt) }),
  },
})

test('a medicine is given, late or not reported on each of the last seven days, in the reader’s time zone', (t) => {
  const events = [
    // Still the 13th in New York.
    dose('Warfarin', '2026-05-14T02:00:00Z'),
    dose('Warfarin', '2026-05-12T13:00:00Z', '2026-05-12T12:00:00Z'),
    dose('Metformin', '2026-05-11T13:00:00Z', '2026-05-11T12:50:00Z'),
    dose('Aspirin', '2026-05-02T13:00:00Z'),
  ]
  const { days, medicines } = medicationWeek(events, false, clock)
  t.deepEqual([days[0], days.at(-1)], ['2026-05-08', '2026-05-14'])
  const no = 'not reported'
  t.deepEqual(medicines, [
    { name: 'Warfarin', cells: [no, no, no, no, 'late', 'given', no] },
    { name: 'Metformin', cells: [no, no, no, 'given', no, no, no] },
  ])
})

test('days of which not all was read are left out: they would seem to have less', (t) => {
  const events = [dose('Warfarin', '2026-05-14T13:00:00Z'), dose('Warfarin', '2026-05-12T13:00:00Z')]
  t.deepEqual(medicationWeek(events, true, clock).days, ['2026-05-13', '2026-05-14'])
})

test('when nothing came today, the page says so, and what came last', (t) => {
  const { text = '' } = medicationToday([dose('Warfarin', '2026-05-13T13:00:00Z')], clock) ?? {}
  t.regex(text, /Nothing reported yet\..*Last: Warfarin 5 mg given, /s)
  t.is(medicationToday([dose('Warfarin', '2026-05-14T13:00:00Z')], clock), undefined)
})

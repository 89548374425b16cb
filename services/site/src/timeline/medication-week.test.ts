import test from 'ava'
import type { TimelineEvent } from './event.ts'
import { medicationToday } from './medication-today.ts'
import { medicationWeek } from './medication-week.ts'

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

test('the page says for each person what came today, or what came last', (t) => {
  const rosa = dose('', '2026-05-13T13:00:00Z').lovedOne
  const joao = { ...rosa, id: 'lo_joao', name: 'João' }
  const textOf = (events: TimelineEvent[], ones = [rosa], hasOlder = false) =>
    medicationToday(events, ones, hasOlder, clock).text.replaceAll(/<[^>]+>/g, '')
  const [today, yesterday] = [dose('Warfarin', '2026-05-14T13:00:00Z'), dose('Aspirin', '2026-05-13T13:00:00Z')]
  t.regex(textOf([]), /Nothing reported yet today\.$/)
  t.regex(textOf([yesterday]), /Nothing reported yet today\. Last: Aspirin 5 mg given, yesterday/)
  t.regex(textOf([today, yesterday]), /1 dose reported today\. Last: Warfarin 5 mg given, \d/)
  t.regex(textOf([today, yesterday], [rosa, joao]), /: 1 dose .*João: Nothing reported yet today/s)
  t.notRegex(textOf([today], [rosa, joao], true), /João/, 'the next page may have some of today')
})

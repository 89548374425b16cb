import { TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import test from 'ava'
import { planned } from '../../../../tests/appointments/_planned.ts'

const NOW = new Date('2026-05-01T00:00:00Z')

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')
const read = (text: string) => planned(text, NOW)
const starts = (...lines: string[]) => read(calendar(...lines)).flatMap((event) => event.starts)

test('a series is bounded: by two years, by 400 occurrences, and by the steps of its rule', (t) => {
  t.is(starts('DTSTART:20260501T100000Z', 'RRULE:FREQ=WEEKLY').length, 105)
  t.is(starts('DTSTART:20260501T100000Z', 'RRULE:FREQ=DAILY').length, 400)
  t.is(starts('DTSTART:20260501T100000Z', 'RRULE:FREQ=SECONDLY').length, 400)
  t.is(starts('DTSTART:19700501T100000Z', 'RRULE:FREQ=SECONDLY').length, 0)
  t.is(starts('DTSTART:20100501T100000Z', 'RRULE:FREQ=DAILY')[0]?.toISOString(), '2026-03-31T10:00:00.000Z')
})

test('answers, and files without a start, plan nothing', (t) => {
  const answer = calendar('DTSTART:20260501T100000Z').replace('BEGIN:VEVENT', 'METHOD:REPLY\r\nBEGIN:VEVENT')
  t.deepEqual(read(answer), [])
  t.deepEqual(starts('SUMMARY:x'), [])
  t.deepEqual(starts('DTSTART:00010101T000000Z'), [])
  t.deepEqual(read('x'), [])
})

test('an event without UID has the same one in each mail', (t) => {
  const uid = () => read(calendar('DTSTART:20260501T100000Z').replace('UID:1\r\n', ''))[0]?.uid
  t.regex(uid() ?? '', /^without-uid-/)
  t.is(uid(), uid())
})

test('a time in a zone that nobody knows is local time', (t) => {
  const [local] = read(calendar('DTSTART;TZID=Nowhere/Town:20260501T100000'))
  t.is(local?.starts[0]?.toISOString(), '2026-05-01T10:00:00.000Z')
  t.is(local?.kind, TimeKind.LOCAL)
})

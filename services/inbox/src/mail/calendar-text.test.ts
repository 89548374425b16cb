import test from 'ava'
import { describeCalendar } from './calendar-text.ts'

function calendar(method: string, ...event: string[]): string {
  return ['BEGIN:VCALENDAR', `METHOD:${method}`, 'BEGIN:VEVENT', ...event, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')
}

test('an invitation shows its title, date, time and zone', (t) => {
  const line = describeCalendar(
    calendar('REQUEST', 'DTSTART;TZID="America/New_York":20250812T143000', 'SUMMARY;LANGUAGE=en:Eye exam'),
  )
  t.is(line, 'Invitation: Eye exam, Tue 12 Aug 2025 14:30 (America/New_York)')
})

test('an all-day event has no time, and Z means UTC', (t) => {
  t.is(
    describeCalendar(calendar('PUBLISH', 'SUMMARY:Visit', 'DTSTART;VALUE=DATE:20250812')),
    'Calendar event: Visit, Tue 12 Aug 2025',
  )
  t.is(
    describeCalendar(calendar('CANCEL', 'SUMMARY:Visit', 'DTSTART:20250812T070000Z')),
    'Canceled: Visit, Tue 12 Aug 2025 07:00 (UTC)',
  )
})

test('lines are unfolded and escapes decoded', (t) => {
  t.is(
    describeCalendar(calendar('REQUEST', 'SUMMARY:Dr. We', ' ber\\, room 4\\; bring\\npapers')),
    'Invitation: Dr. Weber, room 4; bring papers',
  )
})

test('the start of a time zone is not used as the start of the event', (t) => {
  const zone = 'BEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\n'
  t.is(describeCalendar(zone + calendar('REQUEST', 'SUMMARY:x')), 'Invitation: x')
})

test('text without an event has no description, and hostile text is read quickly', (t) => {
  const start = performance.now()
  t.is(describeCalendar('nonsense'), undefined)
  t.is(
    describeCalendar(`BEGIN:VEVENT\r\nSUMMARY${';a'.repeat(100_000)}\r\n${';"'.repeat(100_000)}`),
    'Calendar event: no title',
  )
  t.true(performance.now() - start < 3000)
})

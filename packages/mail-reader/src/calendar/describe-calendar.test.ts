import test from 'ava'
import { describeCalendar } from './describe-calendar.ts'

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
    describeCalendar(calendar('REQUEST', 'DTSTART:20250812', 'SUMMARY:Dr. We', ' ber\\, room 4\\; bring\\npapers')),
    'Invitation: Dr. Weber, room 4; bring papers, Tue 12 Aug 2025',
  )
})

test('the start of a time zone is not used as the start of the event', (t) => {
  const zone = 'BEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\n'
  const [start, ...rest] = calendar('CANCEL', 'SUMMARY:x').split('\r\n')
  t.is(describeCalendar([start, zone.trim(), ...rest].join('\r\n')), 'Canceled: x')
})

test('text without an event has no description, and hostile text one like any other', (t) => {
  t.is(describeCalendar('nonsense'), undefined)
  const hostile = `BEGIN:VEVENT\r\nDTSTART:20250812\r\nSUMMARY${';a'.repeat(100_000)}\r\n${';"'.repeat(100_000)}`
  t.is(describeCalendar(hostile), 'Calendar event: no title, Tue 12 Aug 2025')
})

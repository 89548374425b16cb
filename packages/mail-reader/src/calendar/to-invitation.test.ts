import test from 'ava'
import { readCalendar } from './read-calendar.ts'
import { toInvitation } from './to-invitation.ts'

const calendar = (event: string[], around: string[] = []) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...around, 'BEGIN:VEVENT', 'UID:1@clinic.example', ...event]
    .concat('END:VEVENT', 'END:VCALENDAR')
    .join('\r\n')

const START = 'DTSTART;TZID=Europe/Lisbon:20260512T102000'
const invitationOf = (text: string) => toInvitation(readCalendar({ text }, new Date('2026-05-01'))).invitation
const read = (event: string[], around?: string[]) => invitationOf(calendar(event, around))

test('an invitation says what, when, where and who invites', (t) => {
  const event = [
    'SUMMARY:Cardiology\\, Dr. Carvalho',
    START,
    'DURATION:PT30M',
    'LOCATION:Hospital da Luz\\nfloor 2',
    'ORGANIZER;CN="Front desk":mailto:desk@clinic.example',
  ]
  t.deepEqual(read(event, ['METHOD:REQUEST']), {
    uid: '1@clinic.example',
    state: 'new',
    summary: 'Cardiology, Dr. Carvalho',
    location: 'Hospital da Luz floor 2',
    organizer: 'Front desk',
    start: { at: new Date('2026-05-12T09:20:00Z'), local: '' },
    end: { at: new Date('2026-05-12T09:50:00Z'), local: '' },
    frequency: '',
    interval: 1,
    moreEvents: 0,
    link: '',
    note: '',
  })
})

test('times are read in the zone they name', (t) => {
  const at = (start: string, around?: string[]) => read([start], around)?.start
  t.deepEqual(at('DTSTART:20260512T102000Z'), { at: new Date('2026-05-12T10:20:00Z'), local: '' })
  t.deepEqual(at('DTSTART;TZID=America/New_York:20261212T102000')?.at, new Date('2026-12-12T15:20:00Z'))
  const outlook = [
    'BEGIN:VTIMEZONE',
    'TZID:W. Europe Standard Time',
    'BEGIN:STANDARD',
    'DTSTART:16011028T030000',
    'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:16010325T020000',
    'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'END:DAYLIGHT',
    'END:VTIMEZONE',
  ]
  t.deepEqual(at('DTSTART;TZID=W. Europe Standard Time:20260512T102000', outlook)?.at, new Date('2026-05-12T08:20:00Z'))
  t.deepEqual(at('DTSTART:20260512T102000'), { local: '2026-05-12T10:20' }, 'no zone: as written')
})

test('whole days end on their last day', (t) => {
  const days = read(['DTSTART;VALUE=DATE:20260512', 'DTEND;VALUE=DATE:20260514'])
  t.like(days, { start: { local: '2026-05-12' }, end: { local: '2026-05-13' } })
})

test('what was changed, canceled or answered says so', (t) => {
  t.is(read([START, 'SEQUENCE:2'], ['METHOD:REQUEST'])?.state, 'changed')
  t.is(read([START, 'SEQUENCE:2'], ['METHOD:CANCEL'])?.state, 'canceled')
  t.is(read([START, 'STATUS:CANCELLED'])?.state, 'canceled')
  t.is(read([START], ['METHOD:REPLY'])?.state, 'answer')
})

test('what repeats is described, and further events are counted', (t) => {
  t.like(read([START, 'RRULE:FREQ=WEEKLY;INTERVAL=2']), { frequency: 'weekly', interval: 2 })
  const second = ['END:VEVENT', 'BEGIN:VEVENT', 'UID:2', 'DTSTART:20260612T102000Z']
  t.is(read([START, ...second])?.moreEvents, 1)
})

test('a file without an event, or an event without a start, has none to show', (t) => {
  t.is(invitationOf('BEGIN:VCALENDAR\r\nEND:VCALENDAR'), undefined)
  t.is(read(['SUMMARY:No start']), undefined)
  t.is(invitationOf('Dear Ana'), undefined)
})

import test from 'ava'
import ICAL from 'ical.js'
import { readCalendar } from './read-calendar.ts'
import { toRequest } from './to-requests.ts'
import { answerText, writeAnswer } from './write-answer.ts'

const NOW = new Date('2026-05-01T00:00:00Z')
const START = 'DTSTART;TZID=Europe/Lisbon:20260512T102000'
const INVITED = 'ATTENDEE;CN="Rosa; X":mailto:Rosa@example.org'

function read(lines: string[], method = 'REQUEST', uid = 'UID:1@clinic.example') {
  const event = ['BEGIN:VEVENT', uid, 'SUMMARY:Visit', 'ORGANIZER;CN=Desk:MAILTO:Desk@clinic.example', ...lines]
  const calendar = ['BEGIN:VCALENDAR', `METHOD:${method}`, ...event, 'END:VEVENT', 'END:VCALENDAR']
  return readCalendar({ text: calendar.join('\r\n') }, NOW).events.flatMap((event) => toRequest(event) ?? [])
}

const MAY_12 = 'We are coming to “Visit” on Tuesday, May 12, 2026'

test('a request names its organizer, the invited addresses and its time there', (t) => {
  const [request, ...others] = read([START, 'DURATION:PT30M', INVITED, 'ATTENDEE:mailto:desk@clinic.example'])
  t.is(others.length, 0)
  t.like(request, {
    uid: '1@clinic.example',
    organizer: { name: 'Desk', address: 'desk@clinic.example' },
    attendees: [{ name: 'Rosa; X', address: 'rosa@example.org' }],
    start: { at: new Date('2026-05-12T09:20:00Z'), local: '' },
    endsAt: new Date('2026-05-12T09:50:00Z'),
  })
  const text = (lines: string[]) => read([...lines, INVITED]).map((one) => answerText(one, true))[0]
  t.is(text([START]), 'We are coming to “Visit” on Tuesday, May 12, 2026 at 10:20 AM Western European Time.')
  for (const [zone, words] of [
    ['America/New_York', 'Eastern Time'],
    ['Eastern Standard Time', 'Eastern Time'],
    ['Clinic time', '(Clinic time)'],
  ])
    t.is(text([`DTSTART;TZID=${zone}:20260512T102000`]), `${MAY_12} at 10:20 AM ${words}.`)
  t.is(text(['DTSTART:20260512T102000Z']), `${MAY_12} at 10:20 AM UTC.`)
  t.is(text(['DTSTART:20260512T102000']), 'We are coming to “Visit” on Tuesday, May 12, 2026 at 10:20 AM.')
  t.is(text(['DTSTART;VALUE=DATE:20260512']), 'We are coming to “Visit” on Tuesday, May 12, 2026.')
  t.is(text([START, 'RRULE:FREQ=WEEKLY']), 'We are coming to all dates of “Visit”.')
})

test('another version, date or organizer is another request, and a copy is the same', (t) => {
  const idOf = (...lines: string[]) => read([START, INVITED, ...lines])[0]?.id
  t.is(idOf(), idOf('SUMMARY:Visit, room 3', 'ATTENDEE:mailto:tom@example.org'))
  t.is(new Set([idOf(), idOf('SEQUENCE:1'), idOf('RECURRENCE-ID:20260512T092000Z')]).size, 3)
})

test('what cannot be answered exactly is no request', (t) => {
  t.deepEqual(read([START, INVITED], 'PUBLISH'), [])
  t.deepEqual(read([START, INVITED, 'STATUS:CANCELLED']), [])
  t.deepEqual(read([START, 'ATTENDEE;CUTYPE=ROOM:mailto:room@clinic.example']), [])
  t.deepEqual(read([START, 'ATTENDEE:urn:uuid:1', 'ATTENDEE:mailto:"a b"@example.org']), [])
  for (const uid of ['X-A:1', 'UID:1\\nATTENDEE:mailto:x@evil.example', 'UID:1\u202e2', `UID:${'1'.repeat(1001)}`])
    t.deepEqual(read([START, INVITED], 'REQUEST', uid), [], uid)
})

test('a series is over when its rule says so, and is not expanded', (t) => {
  const endOf = (rule: string) => read(['DTSTART:20200101T100000Z', `RRULE:${rule}`, INVITED])[0]?.endsAt
  t.true((endOf('FREQ=WEEKLY;UNTIL=20200201T100000Z') ?? NOW) < NOW)
  t.is(endOf('FREQ=WEEKLY'), undefined)
  t.is(endOf('FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'), undefined)
})

test('many attendees cost as little as fifty', (t) => {
  const many = Array.from({ length: 20_000 }, (_, nth) => `ATTENDEE:mailto:person${nth}@example.org`)
  t.is(read([START, ...many])[0]?.attendees.length, 50)
})

test('an answer repeats the request’s UID, version and date, and nothing else of the file', (t) => {
  const uid = 'UID:a\\;b\\,c\\\\d'
  const lines = ['DTSTART;VALUE=DATE:20260512', 'RECURRENCE-ID;VALUE=DATE:20260511', 'SEQUENCE:3', INVITED]
  const [request] = read(lines, 'REQUEST', uid)
  if (request === undefined) return t.fail()
  const said = { requestId: request.id, uidHash: '', attendee: 'rosa@example.org', coming: false, turn: 0 }
  const text = writeAnswer({ ...request, ...said }, request.organizer.address, new Date('2026-05-02T08:00:00.700Z'))
  t.deepEqual(text.split('\r\n').slice(4, -3), [
    'BEGIN:VEVENT',
    uid,
    'SEQUENCE:3',
    'DTSTAMP:20260502T080000Z',
    'RECURRENCE-ID;VALUE=DATE:20260511',
    'ORGANIZER:mailto:desk@clinic.example',
    'ATTENDEE;PARTSTAT=DECLINED:mailto:rosa@example.org',
  ])
  const event = new ICAL.Component(ICAL.parse(text) as never).getFirstSubcomponent('vevent')
  t.is(event?.getFirstPropertyValue('uid'), request.uid)
})

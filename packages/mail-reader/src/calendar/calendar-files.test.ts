import test from 'ava'
import { lossesOf, readCalendarFiles } from './calendar-files.ts'
import { isCurrent, storedCalendar } from './stored-calendar.ts'

const NOW = new Date('2026-05-01T00:00:00Z')

function mail(files: number, events: number): Uint8Array {
  const parts = Array.from({ length: files }, (_, file) => {
    const series = Array.from({ length: events }, (_, event) =>
      [
        'BEGIN:VEVENT',
        `UID:${file}-${event}`,
        'DTSTART:20260501T100000Z',
        'RRULE:FREQ=DAILY',
        `SUMMARY:${'x'.repeat(900)}`,
        'END:VEVENT',
      ].join('\r\n'),
    )
    return ['--b', 'Content-Type: text/calendar', '', 'BEGIN:VCALENDAR', ...series, 'END:VCALENDAR'].join('\r\n')
  })
  return Buffer.from(['Content-Type: multipart/mixed; boundary=b', '', ...parts, '--b--', ''].join('\r\n'))
}

test('a mail plans at most 1,000 starts, however many files and series it has', (t) => {
  const { planned: events } = readCalendarFiles(mail(5, 10), NOW)
  t.is(events.flatMap(({ starts }) => starts).length, 1000)
  t.deepEqual(
    events.map(({ uid, starts }) => [uid, starts.length]),
    [
      ['0-0', 400],
      ['0-1', 400],
      ['0-2', 200],
    ],
  )
  t.is(events[0]?.title.length, 200)
})

test('what could not be read in any of the files is named once', (t) => {
  const odd = (uid: string) =>
    [
      '--b',
      'Content-Type: text/calendar',
      '',
      'BEGIN:VEVENT',
      uid,
      'DTSTART:20260501T100000Z',
      'DTEND:x',
      'END:VEVENT',
      '',
    ].join('\r\n')
  const raw = ['Content-Type: multipart/mixed; boundary=b', '', `${odd('UID:1')}${odd('UID:2')}--b--`, ''].join('\r\n')
  const { planned, files } = readCalendarFiles(Buffer.from(raw), NOW)
  t.deepEqual(lossesOf(files), ['details'])
  t.is(planned.length, 2)
})

const FILE = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20260501T100000Z', 'END:VEVENT', 'END:VCALENDAR', '']
const CALENDAR = FILE.join('\r\n')
const encoded = (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n')

function letter(...parts: [fields: string, body: string][]): Buffer {
  const all = [['Content-Type: text/plain', 'Your appointment'], ...parts]
  const written = all.map(([fields, body]) => `--b\r\n${fields}\r\n\r\n${body}\r\n`)
  return Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${written.join('')}--b--\r\n`)
}

for (const [fields, body = CALENDAR] of [
  ['Content-Type: text/calendar'],
  ['Content-Type: TEXT/CALENDAR'],
  ['Content-Type: text/x-vcalendar'],
  ['Content-Type: application/ics'],
  ['Content-Type: text/ics; name=a.ics'],
  ['Content-Type: application/x-download; name="a.ICS"'],
  ['Content-Type: application/octet-stream; name="a.ics"'],
  ['Content-Type: text/plain; name="a.ics"'],
  ['Content-Type: text/plain; name="visit.txt"\r\nContent-Disposition: attachment; filename="visit.txt"'],
  ['Content-Type: text/plain'],
  ['Content-Type: application/octet-stream'],
  ['Content-Disposition: attachment; filename="a.ics"'],
  ['Content-Type: application/pdf-not; name="a.vcs"'],
  ['Content-Type: application/x-any\r\nContent-Transfer-Encoding: base64', encoded(Buffer.from(CALENDAR))],
  ['Content-Type: text/plain\r\nContent-Transfer-Encoding: base64', encoded(Buffer.from(`\ufeff${CALENDAR}`))],
  [
    'Content-Type: application/x-wide\r\nContent-Transfer-Encoding: base64',
    encoded(Buffer.from(`\ufeff${CALENDAR}`, 'utf16le')),
  ],
] as [string, string?][])
  test(`a calendar is read whatever its type: ${JSON.stringify(fields)}${body === CALENDAR ? '' : ', encoded'}`, (t) => {
    const { planned, files } = readCalendarFiles(letter([fields, body]), NOW)
    t.is(planned.length, 1)
    t.deepEqual(lossesOf(files), [])
  })

test('a file that only has the name of a calendar says that it could not be read, and a picture is no calendar', (t) => {
  t.deepEqual(lossesOf(readCalendarFiles(letter(['Content-Type: text/plain; name="a.ics"', 'Hello']), NOW).files), [
    'all',
  ])
  t.deepEqual(readCalendarFiles(letter(['Content-Type: image/png; name="a.png"', 'Hello']), NOW).files, [])
  t.deepEqual(readCalendarFiles(letter(['Content-Type: text/vcard', 'BEGIN:VCARD']), NOW).files, [])
})

test('the method of one copy is that of all', (t) => {
  const { planned, files } = readCalendarFiles(
    letter(
      ['Content-Type: application/ics; name=a.ics', CALENDAR],
      ['Content-Type: text/calendar; method=CANCEL', CALENDAR],
    ),
    NOW,
  )
  t.deepEqual(
    planned.map(({ canceled }) => canceled),
    [true],
  )
  t.is(files.length, 2)
  t.true(files.every(({ events }) => events[0]?.canceled))
})

test('what is stored with a mail is bounded', (t) => {
  const guests = Array.from({ length: 50 }, (_, nth) => `ATTENDEE:mailto:${'x'.repeat(60)}${nth}@family.example`)
  const events = Array.from({ length: 60 }, (_, nth) =>
    [
      'BEGIN:VEVENT',
      `UID:${nth}`,
      'DTSTART:20260501T100000Z',
      `SUMMARY:${'x'.repeat(3000)}`,
      ...guests,
      'END:VEVENT',
    ].join('\r\n'),
  )
  const parts = Array.from({ length: 4 }, (_, nth): [string, string] => [
    'Content-Type: text/calendar',
    ['BEGIN:VCALENDAR', `X-N:${nth}`, ...events.slice(0, 25), 'END:VCALENDAR'].join('\r\n'),
  ])
  const stored = storedCalendar(readCalendarFiles(letter(...parts), NOW).files)
  const all = stored.files.flatMap((file) => file.events)
  t.is(all.length, 50)
  t.is(all.flatMap(({ attendees }) => attendees).length, 200)
  t.true(JSON.stringify(stored).length < 300_000)
  t.true(isCurrent(stored))
  t.false(isCurrent({ ...stored, version: 0 }))
})

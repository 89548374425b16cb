import test from 'ava'
import { lossesOf, readCalendarFiles } from './calendar-files.ts'

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

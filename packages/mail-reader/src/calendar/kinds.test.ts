import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { planned } from '../../../../tests/appointments/_planned.ts'
import { calendarText } from './calendar-text.ts'
import { readCalendar } from './read-calendar.ts'

const NOW = new Date('2026-11-25T00:00:00Z')
const START = 'DTSTART:20270115T090000Z'

const calendar = (around: string[], ...event: string[]) =>
  ['BEGIN:VCALENDAR', ...around, 'BEGIN:VEVENT', 'UID:1', ...event, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')

/** When it starts, as the feed says it. */
function starts(text: string): string[] {
  return planned(text, NOW).flatMap(({ kind, starts: all }) =>
    all.map((at) => {
      const written = at.toISOString()
      if (kind === 'TIME_KIND_DAY') return written.slice(0, 10)
      return kind === 'TIME_KIND_LOCAL' ? written.slice(0, 16) : `${written.slice(0, 16)}Z`
    }),
  )
}

const first = (text: string) => readCalendar({ text }, NOW).events[0]

// X-WR-TIMEZONE.

for (const [name, found] of [
  ['Europe/Berlin', '2027-01-15T08:00Z'],
  ['W. Europe Standard Time', '2027-01-15T08:00Z'],
  ['(UTC-05:00) Eastern Time (US & Canada)', '2027-01-15T14:00Z'],
  ['Nowhere', '2027-01-15T09:00'],
  ['', '2027-01-15T09:00'],
] as const)
  test(`a calendar’s own zone is that of times without one: “${name}”`, (t) => {
    const around = [`X-WR-TIMEZONE:${name}`]
    t.deepEqual(starts(calendar(around, 'DTSTART:20270115T090000')), [found])
    t.deepEqual(starts(calendar(around, START)), ['2027-01-15T09:00Z'])
    t.deepEqual(starts(calendar(around, 'DTSTART;VALUE=DATE:20270115')), ['2027-01-15'])
    t.deepEqual(starts(calendar(around, 'DTSTART;TZID=Asia/Tokyo:20270115T180000')), ['2027-01-15T09:00Z'])
  })

// Definitions of zones.

function zone(name: string, ...changes: [kind: string, start: string, from: string, to: string, rule?: string][]) {
  const lines = changes.flatMap(([kind, start, from, to, rule]) => [
    `BEGIN:${kind}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...(rule ? [rule] : []),
    `END:${kind}`,
  ])
  return ['BEGIN:VTIMEZONE', `TZID:${name}`, ...lines, 'END:VTIMEZONE']
}

const BERLIN = zone(
  'Praxis',
  ['STANDARD', '16010101T030000', '+0200', '+0100', 'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10'],
  ['DAYLIGHT', '16010101T020000', '+0100', '+0200', 'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3'],
)

for (const [wall, at] of [
  ['20270115T090000', '2027-01-15T08:00Z'],
  ['20270715T090000', '2027-07-15T07:00Z'],
  ['20270328T015959', '2027-03-28T00:59Z'],
  // Clocks skip it: as much later.
  ['20270328T023000', '2027-03-28T01:30Z'],
  ['20270328T030000', '2027-03-28T01:00Z'],
  // Clocks show it twice: the first time.
  ['20271031T023000', '2027-10-31T00:30Z'],
  ['20271031T030000', '2027-10-31T02:00Z'],
  ['20280101T000000', '2027-12-31T23:00Z'],
] as const)
  test(`a zone that the file defines says when ${wall} is`, (t) => {
    t.deepEqual(starts(calendar(BERLIN, `DTSTART;TZID=Praxis:${wall}`)), [at])
  })

test('a zone that changed its rules has those of the year', (t) => {
  const old = 'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20251231T000000Z'
  const found = zone(
    'Ours',
    ['DAYLIGHT', '20200405T020000', '+0100', '+0200', old],
    ['STANDARD', '20201025T030000', '+0200', '+0100', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'],
    ['DAYLIGHT', '20270601T020000', '+0100', '+0300'],
  )
  t.deepEqual(starts(calendar(found, 'DTSTART;TZID=Ours:20270501T090000')), ['2027-05-01T08:00Z'])
  t.deepEqual(starts(calendar(found, 'DTSTART;TZID=Ours:20270701T090000')), ['2027-07-01T06:00Z'])
  t.deepEqual(starts(calendar(found, 'DTSTART;TZID=Ours:20271201T090000')), ['2027-12-01T08:00Z'])
})

test('a definition of one offset, or with hostile rules, takes no time', (t) => {
  const fixed = zone('Ours', ['STANDARD', '19700101T000000', '+0530', '+0530'])
  t.deepEqual(starts(calendar(fixed, 'DTSTART;TZID=Ours:20270501T090000')), ['2027-05-01T03:30Z'])
  const hostile = zone('Ours', ['STANDARD', '16010101T000000', '+0100', '+0100', 'RRULE:FREQ=SECONDLY'])
  t.deepEqual(starts(calendar(hostile, 'DTSTART;TZID=Ours:20270501T090000')), ['2027-05-01T09:00'])
})

// Days.

test('a day that Outlook writes as midnights is a day, and so is its end', (t) => {
  const outlook = (start: string, end: string) =>
    calendar(BERLIN, `DTSTART;TZID=Praxis:${start}`, `DTEND;TZID=Praxis:${end}`, 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE')
  t.deepEqual(starts(outlook('20270118T000000', '20270119T000000')), ['2027-01-18'])
  t.is(first(outlook('20270118T000000', '20270121T000000'))?.durationSec, 3 * DAY_SEC)
  t.deepEqual(starts(outlook('20270118T090000', '20270118T100000')), ['2027-01-18T08:00Z'], 'no day at nine')
  t.deepEqual(starts(outlook('20270118T000000', '20270119T000000').replace('TRUE', 'FALSE')), ['2027-01-17T23:00Z'])
})

for (const [until, last] of [
  ['20270115T230000Z', '2027-01-16'],
  ['20270116T225959Z', '2027-01-16'],
  ['20270116', '2027-01-16'],
] as const)
  test(`a series of days until ${until} ends on its day in the sender’s zone`, (t) => {
    const lines = ['DTSTART;VALUE=DATE:20270114', `RRULE:FREQ=DAILY;UNTIL=${until}`]
    t.is(starts(calendar(BERLIN, ...lines)).at(-1), last)
  })

test('a place east of the date line ends its days where it is', (t) => {
  const samoa = ['X-WR-TIMEZONE:Pacific/Apia']
  const lines = ['DTSTART;VALUE=DATE:20270114', 'RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20270115T110000Z']
  t.deepEqual(starts(calendar(samoa, ...lines)), ['2027-01-14', '2027-01-15', '2027-01-17'])
})

// A time series names a day by its midnight.

for (const name of [
  ';TZID=Europe/Berlin:20270121T000000',
  ';TZID=W. Europe Standard Time:20270121T000000',
  ':20270120T230000Z',
  ':20270121T000000',
  ';VALUE=DATE:20270121',
])
  test(`a series at ten excludes and changes the day whose midnight is named: ${name}`, (t) => {
    const lines = ['DTSTART;TZID=Europe/Berlin:20270120T100000', 'RRULE:FREQ=DAILY;COUNT=3']
    t.deepEqual(starts(calendar([], ...lines, `EXDATE${name}`)), ['2027-01-20T09:00Z', '2027-01-22T09:00Z'])
    const change = ['END:VEVENT', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20270205T160000Z', `RECURRENCE-ID${name}`]
    const [, changed] = planned(calendar([], ...lines, ...change), NOW)
    t.is(changed?.recurrenceId?.toISOString(), '2027-01-21T09:00:00.000Z')
  })

test('a change without its series names the day of its place, early and late in the day', (t) => {
  const named = (start: string, name: string) =>
    planned(calendar([], `DTSTART;TZID=America/New_York:${start}`, `RECURRENCE-ID${name}`), NOW)[0]?.recurrenceDay
  const day = new Date('2027-01-21T05:00:00Z')
  for (const name of [
    ':20270121T000000',
    ';VALUE=DATE:20270121',
    ';TZID=America/New_York:20270121T000000',
    ':20270121T050000Z',
  ])
    for (const clock of ['080000', '200000']) t.deepEqual(named(`20270121T${clock}`, name), day, name)
  t.is(named('20270121T080000', ':20270121T130000Z'), undefined)
})

test('a series at midnight keeps its midnights', (t) => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20270120T000000', 'RRULE:FREQ=DAILY;COUNT=3']
  t.deepEqual(starts(calendar([], ...lines, 'EXDATE:20270120T230000Z')), ['2027-01-19T23:00Z', '2027-01-21T23:00Z'])
})

// Texts.

const bytes = (text: string) => readCalendar({ text: calendarText(Buffer.from(text)) }, NOW).events[0]

test('vCalendar 1.0 writes texts in quoted-printable, over several lines', (t) => {
  const plain = 'SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Termin =\r\nM=C3=BCller=\r\n, K=C3=B6ln'
  t.is(bytes(calendar(['VERSION:1.0'], plain, START))?.title, 'Termin Müller, Köln')
  const latin = 'SUMMARY;QUOTED-PRINTABLE;CHARSET=ISO-8859-1:M=FCller=0D=0AZimmer 3'
  t.is(bytes(calendar(['VERSION:1.0'], latin, START))?.title, 'Müller Zimmer 3')
  const cyrillic = 'LOCATION;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=CF=F0=E8=E2=E5=F2'
  t.is(bytes(calendar([], cyrillic, START))?.place, 'Привет')
  t.is(bytes(calendar([], 'SUMMARY:1 = 2=', START))?.title, '1 = 2=')
})

test('a canceled event says it once, in any language', (t) => {
  const titleOf = (title: string, ...more: string[]) => first(calendar([], `SUMMARY:${title}`, START, ...more))?.title
  const canceled = 'STATUS:CANCELLED'
  for (const prefix of [
    'Canceled: ',
    'Canceled: Canceled: ',
    'CANCELLED - ',
    '[Canceled] ',
    'Abgesagt: ',
    'Annulé : ',
    'Cancelado: ',
    'Annullato: ',
    'Geannuleerd: ',
    'Odwołane: ',
    'Отменено: ',
    '已取消: ',
  ])
    t.is(titleOf(`${prefix}Visit`, canceled), 'Visit', prefix)
  t.is(titleOf('Canceled: Visit'), 'Canceled: Visit', 'a live event keeps its title')
  t.is(titleOf('Canceled:', canceled), 'Canceled:')
  t.is(titleOf('Cancellation policy talk', canceled), 'Cancellation policy talk')
})

test('a method comes from the file, or else from its Content-Type', (t) => {
  const file = (method: string | undefined, around: string[] = []) =>
    readCalendar({ text: calendar(around, START), method }, NOW).events[0]
  t.true(file('CANCEL')?.canceled)
  t.true(file('cancel')?.canceled)
  t.false(file('CANCEL', ['METHOD:REQUEST'])?.canceled)
  t.is(file(undefined)?.method, '')
})

test('what may change, and for whom a cancellation is', (t) => {
  t.true(first(calendar([], START, 'STATUS:TENTATIVE'))?.tentative)
  const guest = 'ATTENDEE:mailto:luis@family.example'
  const isFor = (...lines: string[]) => first(calendar(['METHOD:CANCEL'], START, ...lines))?.isForAttendees
  t.true(isFor(guest))
  t.false(isFor())
  t.false(isFor(guest, 'STATUS:CANCELLED'))
  const clinic = ['ORGANIZER:mailto:desk@clinic.example', 'ATTENDEE:mailto:doctor@clinic.example', guest]
  const [event] = planned(calendar([], START, ...clinic), NOW)
  t.deepEqual([event?.attendees.length, event?.colleagues.length], [1, 1])
  const [home] = planned(calendar([], START, 'ORGANIZER:mailto:ana@family.example', guest), NOW)
  t.deepEqual([home?.attendees.length, home?.colleagues.length], [1, 0])
})

// Video visits.

const LINK = 'https://video.clinic.example/j/4711'
for (const [what, ...lines] of [
  ['the description', `DESCRIPTION:Map: https://clinic.example/map\\nJoin here: ${LINK}.\\nBring your card.`],
  ['the address of the event', `URL:${LINK}`, 'DESCRIPTION:https://clinic.example'],
  ['a conference', `CONFERENCE;VALUE=URI;FEATURE=VIDEO:${LINK}`, 'URL:https://clinic.example'],
  ['Teams', `X-MICROSOFT-SKYPETEAMSMEETINGURL:${LINK}`, 'DESCRIPTION:https://teams.microsoft.com/help'],
  ['Google', `X-GOOGLE-CONFERENCE:${LINK}`],
  ['the place', `LOCATION:${LINK}`],
  ['the place, beside a description', `LOCATION:${LINK}`, 'DESCRIPTION:Bring your card.'],
])
  test(`the link of a video visit is found in ${what}`, (t) => {
    t.is(first(calendar([], START, ...lines))?.meeting.link, LINK)
  })

test('a note is what a person wrote, and no other address is a link', (t) => {
  const meeting = (...lines: string[]) => first(calendar([], START, ...lines))?.meeting
  t.deepEqual(meeting(), { link: '', note: '' })
  t.deepEqual(meeting('URL:javascript:alert(1)', 'DESCRIPTION:tel:+1'), { link: '', note: 'tel:+1' })
  const zoom = 'DESCRIPTION:Bring the insurance card.\\n\\n──────────\\n'
  t.is(meeting(`${zoom}`)?.note.split('\n')[0], 'Bring the insurance card.')
  t.is(meeting('DESCRIPTION:Fasting.\\n________________\\nMicrosoft Teams Need help?')?.note, 'Fasting.')
  t.is(meeting(`DESCRIPTION:${'x'.repeat(5000)}`)?.note.length, 500)
})

import test from 'ava'
import { planned } from '../../../../tests/appointments/_planned.ts'
import { calendarText } from './calendar-text.ts'
import { readCalendar } from './read-calendar.ts'
import { toInvitation } from './to-invitation.ts'
import { toRequest } from './to-requests.ts'

const NOW = new Date('2026-11-25T00:00:00Z')
const START = 'DTSTART:20270115T090000Z'
const AT = '2027-01-15T09:00Z'

const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT']
const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\r\n')

/** When its events are, as a calendar address says it, and what is lost. */
function read(text: string): string {
  const starts = planned(text, NOW).flatMap((one) => one.starts.map((at) => wordsOf(at, one.kind)))
  return [...starts, ...readCalendar({ text }, NOW).losses].join(' ')
}

function wordsOf(at: Date, kind: string): string {
  const text = at.toISOString()
  if (kind === 'TIME_KIND_DAY') return text.slice(0, 10)
  return kind === 'TIME_KIND_LOCAL' ? text.slice(0, 16) : `${text.slice(0, 16)}Z`
}

const ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Ours',
  'BEGIN:STANDARD',
  'DTSTART:16010101T000000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0200',
  'END:STANDARD',
  'END:VTIMEZONE',
]
const inOurZone = event('DTSTART;TZID=Ours:20270115T110000')
const without = (...lines: string[]) => ZONE.filter((line) => !lines.includes(line))
const series = (rule: string) => calendar(...event(START, `RRULE:${rule}`))

const FILES: [what: string, text: string, found: string][] = [
  // Lines that nobody reads cost nothing.
  ...[
    'X-ODD',
    'GEO:here',
    'TRIGGER:soon',
    'X-ODD;=:',
    'ATTACH',
    'not a line',
    'DESCRIPTION;X="open:text',
    'PRIORITY:high',
  ].map((line): [string, string, string] => [line, calendar(...event(line, START)), AT]),
  // Empty ones are as if they were not there.
  ...['DTEND:', 'RRULE:', 'EXDATE:', 'DURATION: ', 'ORGANIZER:', 'SUMMARY:', 'RECURRENCE-ID:', '', '   ', '\t'].map(
    (line): [string, string, string] => [`${line}`, calendar(...event(START, line)), AT],
  ),
  ['when it was written tells a family nothing', calendar(...event('DTSTAMP:202612206T200210Z', START)), AT],
  // Others cost a detail.
  ...[
    'ORGANIZER;CN=Sixt SE',
    'ATTENDEE;CN=Ana',
    'DTEND:T2',
    'DURATION:30M',
    'DURATION:PT',
    'EXDATE:soon',
    'RDATE:20270230',
    'SUMMARY',
  ].map((line): [string, string, string] => [line, calendar(...event(line, START)), `${AT} details`]),
  [
    'a list keeps what can be read',
    calendar(...event(START, 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:x,20270116T090000Z')),
    `${AT} details`,
  ],

  // Times as people write them.
  ...[
    'DTSTART: 20270115T090000Z',
    'DTSTART:\t20270115T090000Z ',
    'DTSTART : 20270115T090000Z',
    'dtstart:20270115t090000z',
    'DTSTART:20270115T0900Z',
    'DTSTART:2027-01-15T09:00:00Z',
    'DTSTART:2027-01-15 09:00:00.000Z',
    'DTSTART:20270115T100000+0100',
    'DTSTART;VALUE=DATE-TIME:20270115T090000Z',
    'DTSTART; TZID=Europe/Berlin :20270115T100000',
    'DTSTART:never\r\nDTSTART:20270115T090000Z',
  ].map((line): [string, string, string] => [
    line,
    calendar(...event(line)),
    line.includes('never') ? `${AT} details` : AT,
  ]),
  ...['DTSTART:20270115', 'DTSTART;VALUE=DATE:20270115', 'DTSTART;VALUE=DATE:20270115T000000', 'DTSTART:20270115Z'].map(
    (line): [string, string, string] => [line, calendar(...event(line, 'DTEND:20270116')), '2027-01-15'],
  ),
  ...['DTSTART:', 'DTSTART:soon', 'DTSTART', 'DTSTART:20270230', 'DTSTART:20270115T250000Z'].map(
    (line): [string, string, string] => [line, calendar(...event(line)), 'all'],
  ),
  [
    'a name of a zone with a colon',
    calendar(...event('DTSTART;TZID=(UTC-05:00) Town:20270111T133000')),
    '2027-01-11T13:30',
  ],
  ['one of two events', calendar(...event('DTSTART:x'), ...event(START)), `${AT} events`],
  [
    'a change of an occurrence that is not known',
    calendar(...event(START), ...event(START, 'RECURRENCE-ID:x')),
    `${AT} events`,
  ],
  ['the end of a day', calendar(...event('DTSTART:20270114T240000Z')), '2027-01-15T00:00Z'],

  // Rules.
  ['spaces in a rule', series('FREQ=DAILY; COUNT=2 ;BYDAY=FR, SA;'), `${AT} 2027-01-16T09:00Z`],
  ['a rule in lower case', series('freq=daily;count=2'), `${AT} 2027-01-16T09:00Z`],
  ['a rule until a day with separators', series('FREQ=DAILY;UNTIL=2027-01-16'), `${AT} 2027-01-16T09:00Z`],
  ...[
    'FREQ=WEEKLY;COUNT=-1',
    'FREQ=WEEKLY;COUNT=0',
    'FREQ=WEEKLY;COUNT=two',
    'FREQ=WEEKLY;UNTIL=',
    'FREQ=WEEKLY;UNTIL=soon',
    'FREQ=OFTEN',
    'COUNT=3',
    'FREQ',
    'FREQ=WEEKLY;BYDAY=XX',
    'FREQ=WEEKLY;BYMONTHDAY=3',
    'FREQ=MONTHLY;BYWEEKNO=3',
    'FREQ=MONTHLY;BYDAY=7MO',
    'FREQ=DAILY;BYDAY=1MO',
    'BYWEEKNO=3;FREQ=WEEKLY',
    'FREQ=MONTHLY;BYMONTH=13',
    'FREQ=DAILY;BYHOUR=9x',
    'FREQ=YEARLY;BYEASTER=1',
    'RSCALE=CHINESE;FREQ=YEARLY',
    `FREQ=DAILY;BYDAY=${'MO,'.repeat(5000)}MO`,
  ].map((rule): [string, string, string] => [rule.slice(0, 40), series(rule), `${AT} rule`]),

  // Beginnings and ends.
  ['without END:VCALENDAR', calendar(...event(START)).replace('END:VCALENDAR', ''), AT],
  ['without END:VEVENT', calendar('BEGIN:VEVENT', START, ...event('DTSTART:20270116')), `${AT} 2027-01-16`],
  [
    'cut in its last event',
    calendar(...event(START), 'BEGIN:VEVENT', 'DTSTART:2027').split('END:VCAL')[0] ?? '',
    `${AT} events`,
  ],
  ['without BEGIN:VEVENT', calendar(START, 'END:VEVENT'), 'all'],
  ['without BEGIN:VCALENDAR', event(START).join('\n'), AT],
  ['an end too many', calendar('END:VALARM', ...event(START, 'END:VALARM', 'END:X'), 'END:VEVENT'), AT],
  ['in lower case', calendar(...event(START)).toLowerCase(), AT],
  ['with spaces around names', calendar(...event(START)).replaceAll('VEVENT', ' VEVENT '), AT],
  [
    'two calendars',
    [calendar(...event(START)), calendar(...event('DTSTART:20270116'))].join('\r\n'),
    `${AT} 2027-01-16`,
  ],
  [
    'two calendars, the first an answer',
    [calendar('METHOD:REPLY', ...event(START)), `\ufeff${calendar(...event('DTSTART:20270116'))}`].join('\r\n'),
    '2027-01-16',
  ],
  ['a reminder that is odd', calendar(...event('BEGIN:VALARM', 'TRIGGER:-', 'DURATION:x', 'END:VALARM', START)), AT],
  ['a reminder without its end', calendar(...event('BEGIN:VALARM', 'TRIGGER:-PT5M', START)), AT],
  ['another event in one', calendar(...event(START, 'BEGIN:VTODO', 'DTSTART:x', 'END:VTODO')), AT],
  ['only a task', calendar('BEGIN:VTODO', START, 'END:VTODO'), ''],
  [
    'a component with a name of JavaScript',
    calendar('BEGIN:CONSTRUCTOR', START, 'BEGIN:__proto__', ...event(START)),
    AT,
  ],
  ['nothing', calendar(), 'all'],
  ['no calendar', 'Dear Ana', 'all'],
  ['an answer without a time', calendar('METHOD:REPLY', ...event()), ''],
  ['a cancellation without a time', calendar('METHOD:CANCEL', ...event()), ''],

  // Zones.
  ['a zone', calendar(...ZONE, ...inOurZone), AT],
  ['a zone without its end', calendar(...without('END:STANDARD', 'END:VTIMEZONE'), ...inOurZone), AT],
  ['half a zone', calendar(...without('TZOFFSETTO:+0200'), ...inOurZone), '2027-01-15T11:00 details'],
  [
    'a zone with an odd line',
    calendar(...ZONE, ...inOurZone).replace('TO:+0200', 'TO:east'),
    '2027-01-15T11:00 details',
  ],
  ['a zone without a name', calendar(...without('TZID:Ours'), ...inOurZone), '2027-01-15T11:00 details'],
  [
    'an odd zone that everybody knows',
    calendar(...ZONE, ...inOurZone)
      .replaceAll('Ours', 'Europe/Berlin')
      .replace('TO:+0200', 'TO:east'),
    '2027-01-15T10:00Z',
  ],

  // Lines.
  ...['\n', '\r', '\r\n\r\n', '\n\r\n', '\r\r\n'].map((end): [string, string, string] => [
    `lines that end with ${JSON.stringify(end)}`,
    calendar(...event(START)).replaceAll('\r\n', end),
    AT,
  ]),
  ['folded with a tab', calendar(...event(START)).replace('0115T', '0115\r\n\tT'), AT],
  ['indented', calendar(...event(START)).replaceAll('\r\n', '\n  \t'), AT],
]

for (const [what, text, found] of FILES)
  test(`what can be read is read, and what is lost is said: ${JSON.stringify(what)}`, (t) => t.is(read(text), found))

/** How the occurrence of January 21 is named, for a series of days or at ten o’clock in Berlin, and as its own start. */
const NAMES = {
  day: [
    ';VALUE=DATE:20270121',
    ':20270121',
    ';TZID=W. Europe Standard Time:20270121T000000',
    ';TZID=Tokyo Standard Time:20270121T000000',
    ';TZID=Pacific Standard Time:20270121T000000',
    ';TZID=Nowhere:20270121T000000',
    ':20270121T000000',
    // Midnight in Honolulu, New York, London, Berlin, Kolkata, Tokyo, Sydney and Auckland.
    ...['0121T10', '0121T05', '0121T00', '0120T23', '0120T15', '0120T13', '0120T11'].map((at) => `:2027${at}0000Z`),
    ':20270120T183000Z',
  ],
  time: [
    ';TZID=Europe/Berlin:20270121T100000',
    ';TZID=Eastern Standard Time:20270121T040000',
    ':20270121T090000Z',
    ':20270121T100000',
    ';VALUE=DATE:20270121',
    ':20270121',
  ],
  local: [
    ':20270121T100000',
    ':20270121T090000Z',
    ':20270121T150000Z',
    ':20270121T010000Z',
    ';TZID=Europe/Berlin:20270121T100000',
    ':20270121',
  ],
}
const STARTS = {
  day: { line: 'DTSTART;VALUE=DATE:20270114', at: '' },
  time: { line: 'DTSTART;TZID=Europe/Berlin:20270114T100000', at: 'T09:00Z' },
  local: { line: 'DTSTART:20270114T100000', at: 'T10:00' },
}

for (const kind of ['day', 'time', 'local'] as const)
  for (const name of NAMES[kind]) {
    const { line, at } = STARTS[kind]
    const days = (...wanted: number[]) => wanted.map((day) => `2027-01-${day}${at}`).join(' ')
    const daily = [line, 'RRULE:FREQ=DAILY;UNTIL=20270123']

    test(`a series of the kind “${kind}” excludes the day that is meant: ${name}`, (t) => {
      t.is(read(calendar(...event(...daily, `EXDATE${name}`))), days(14, 15, 16, 17, 18, 19, 20, 22, 23))
    })

    test(`a series of the kind “${kind}” adds the day that is meant: ${name}`, (t) => {
      t.is(read(calendar(...event(line, `RDATE${name}`))), days(14, 21))
    })

    test(`a change is of the day that is meant, in a series of the kind “${kind}”: ${name}`, (t) => {
      const moved = event('DTSTART:20270205T160000Z', `RECURRENCE-ID${name}`)
      const [, change] = planned(calendar(...event(...daily), ...moved), NOW)
      t.is(
        change &&
          wordsOf(
            change.recurrenceId ?? NOW,
            kind === 'day' ? 'TIME_KIND_DAY' : kind === 'local' ? 'TIME_KIND_LOCAL' : '',
          ),
        days(21),
      )
      const alone = event(line.replace('0114', '0121'), `RECURRENCE-ID${name}`)
      const [only] = planned(calendar(...alone), NOW)
      t.deepEqual(only?.recurrenceId, only?.starts[0])
    })
  }

for (const [until, last] of [
  ['20270116', 16],
  ['20270115T230000Z', 16],
  ['20270116T050000Z', 16],
  ['20270116T000000Z', 16],
  ['20270116T235959Z', 16],
  ['20270116T225959Z', 16],
  ['20270117T045959Z', 16],
  ['20270116T000000', 16],
] as const)
  test(`a series of days until ${until} ends on the ${last}th`, (t) => {
    const found = read(calendar(...event('DTSTART;VALUE=DATE:20270114', `RRULE:FREQ=DAILY;UNTIL=${until}`)))
    t.is(found.split(' ').at(-1), `2027-01-${last}`)
  })

test('the card, the appointment and the request of an odd file agree', (t) => {
  const lines = event(
    'DTSTART;TZID=W. Europe Standard Time: 20270115T1000',
    'ORGANIZER:mailto:desk@clinic.example',
    'ATTENDEE:mailto:ana@family.example',
  )
  const text = calendar('METHOD: request ', ...lines)
  const file = readCalendar({ text }, NOW)
  const at = new Date(AT)
  t.deepEqual(toInvitation(file).invitation?.start, { at, local: '' })
  t.deepEqual(planned(text, NOW)[0]?.starts, [at])
  t.deepEqual(file.events.map(toRequest)[0]?.start, { at, local: '' })
})

test('a line that is folded within a character is whole', (t) => {
  const [head, tail] = calendar(...event('SUMMARY:Köln', START)).split('ö')
  const bytes = Buffer.concat([Buffer.from(`${head}`), Buffer.from([0xc3, 13, 10, 32, 0xb6]), Buffer.from(`${tail}`)])
  const title = (raw: Uint8Array, charset?: string) =>
    readCalendar({ text: calendarText(raw, charset) }, NOW).events[0]?.title
  t.is(title(bytes), 'Köln')
  t.is(title(Buffer.from(calendar(...event('SUMMARY:Köln', START)), 'latin1'), 'iso-8859-1'), 'Köln')
  t.is(title(Buffer.from(calendar(...event('SUMMARY:Kö\r\n ln', START)), 'utf16le'), 'utf-16le'), 'Köln')
})

const MANY = 100_000
for (const [what, text] of [
  ['odd lines', calendar(...event(START, ...Array.from({ length: MANY }, () => 'EXDATE:x')))],
  ['lines without a value', calendar(...event(START, ...Array.from({ length: MANY }, () => 'ORGANIZER;CN=x')))],
  ['rules', calendar(...event(START, ...Array.from({ length: MANY / 20 }, () => 'RRULE:FREQ=YEARLY;BYDAY=MO')))],
  [
    'beginnings',
    calendar(
      ...Array.from({ length: MANY }, () => 'BEGIN:X'),
      ...Array.from({ length: MANY }, () => 'END:Y'),
      ...event(START),
    ),
  ],
  ['events without an end', calendar(...Array.from({ length: MANY }, () => 'BEGIN:VEVENT'), START)],
  [
    'calendars',
    Array.from({ length: MANY / 10 }, () => 'BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\n').join('') + event(START).join('\n'),
  ],
  [
    'zones',
    calendar(
      ...Array.from({ length: MANY / 10 }, () => ZONE).flat(),
      ...event(START, `EXDATE;TZID=x:${'20270115T100000,'.repeat(MANY / 10)}`),
    ),
  ],
  [
    'names of zones',
    calendar(
      ...Array.from({ length: MANY / 10 }, (_, nth) => `EXDATE;TZID=/a/b/c${nth}/d e:20270115T100000`),
      ...event(
        START,
        ...Array.from({ length: MANY / 10 }, (_, nth) => `EXDATE;TZID=/a/b/c${nth}/d e/f-g/h:20270115T100000`),
      ),
    ),
  ],
  ['lines of a note', calendar(...event(START, `DESCRIPTION:${'\\n \\n'.repeat(MANY)}-----x`))],
  ['values in one line', calendar(...event(START, `EXDATE:${'20270101,'.repeat(MANY)}`))],
  ['parameters', calendar(...event(START, `SUMMARY${';a="'.repeat(MANY)}`))],
  ['carets and backslashes', calendar(...event(START, `LOCATION;X=${'^^'.repeat(MANY)}:${'\\'.repeat(MANY)}`))],
  ['folds', calendar(...event(START)).replaceAll('\r\n', `\r\n${'\r\n '.repeat(MANY)}\r\n`)],
  [
    'spaces',
    calendar(...event(START, `DTEND:20270115${' '.repeat(MANY)}x`, `${' '.repeat(MANY)}x`, `A${' '.repeat(MANY)}`)),
  ],
] as const)
  test(`${MANY} ${what} hide no event, and cost as much as their length`, (t) => {
    t.is(readCalendar({ text }, NOW).events.length, 1)
  })

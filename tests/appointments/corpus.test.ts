import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { calendarText } from '@family-inbox/mail-reader/calendar/calendar-text'
import { readCalendar } from '@family-inbox/mail-reader/calendar/read-calendar'
import { toCalendarEvent } from '@family-inbox/mail-reader/calendar/to-change'
import { toInvitation } from '@family-inbox/mail-reader/calendar/to-invitation'
import { toRequest } from '@family-inbox/mail-reader/calendar/to-requests'
import { findZone } from '@family-inbox/mail-reader/calendar/zone-names'
import { readAttachments } from '@family-inbox/mail-reader/mime/attachments'
import { fromWallTime } from '@family-inbox/service-kit/time/time-zone'
import test from 'ava'
import ical, { type VEvent } from 'node-ical'
import { applyEvent } from '../../services/care-circle/src/appointments/apply-event.ts'
import { deriveOccurrences } from '../../services/care-circle/src/appointments/derive-occurrences.ts'
import type { Component } from '../../services/care-circle/src/models/appointment.ts'

const library = dirname(createRequire(import.meta.url).resolve('node-ical/package.json'))
const windowsZones = JSON.parse(readFileSync(join(library, 'windowsZones.json'), 'utf8'))

const RECEIVED = new Date('2026-01-01T00:00:00Z')
/** We show a series without an end for two years. */
const UNTIL = new Date(RECEIVED.getTime() + 2 * 366 * 86_400_000)

const folder = (name: string) => join(import.meta.dirname, name)
const read = (name: string, file: string) => readFileSync(join(folder(name), file), 'utf8')
const FILES = readdirSync(folder('invitations'))

const planned = (text: string) =>
  readCalendar({ text }, RECEIVED).events.flatMap((event) => toCalendarEvent(event, RECEIVED) ?? [])

/** When each appointment of a file is, as we store it. */
function ours(text: string): string[] {
  const byUid = Map.groupBy(planned(text), ({ uid }) => uid)
  return [...byUid].flatMap(([uid, events]) => {
    let components: Component[] = []
    for (const event of events) {
      const planned = { ...event, canceled: false }
      components = applyEvent({ components, canceledByFamily: [] }, planned)?.components ?? components
    }
    const known = { components, occurrences: [], canceledByFamily: [], going: [] }
    return deriveOccurrences(known, RECEIVED).map(({ startsAt, endsAt, kind }) => {
      const [start, end] = [startsAt, endsAt].map((at) => (kind === 'local' ? onThisMachine(at) : at).toISOString())
      return [uid, kind === 'day' ? 'day' : '', start, end].join(' ')
    })
  })
}

/** node-ical reads times without a zone as this machine's. */
function onThisMachine(at: Date): Date {
  return new Date(at.toISOString().slice(0, -1))
}

/** The same by a library that shares no code with ours. */
function theirs(text: string): string[] {
  const events = Object.values(ical.sync.parseICS(text)).filter((one): one is VEvent => one?.type === 'VEVENT')
  return events.flatMap((event) => {
    const expanded = ical.expandRecurringEvent(event, { from: new Date('2025-12-01'), to: UNTIL })
    return expanded.map(({ start, end, isFullDay }) =>
      [event.uid, isFullDay ? 'day' : '', moment(start, isFullDay), moment(end, isFullDay)].join(' '),
    )
  })
}

/** node-ical gives days as midnights of this machine. */
function moment(at: Date, isFullDay: boolean): string {
  if (!isFullDay) return at.toISOString()
  return new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())).toISOString()
}

test('the corpus has sixty invitations', (t) => t.true(FILES.length >= 60, `${FILES.length}`))

for (const file of FILES)
  test(`another library finds the same times in ${file}`, (t) => {
    const text = read('invitations', file)
    const found = ours(text).sort()
    t.true(found.length > 0)
    t.deepEqual(readCalendar({ text }, RECEIVED).losses, [])
    t.deepEqual(found, theirs(text).sort())
  })

/** Starts where RFC 5545 decides and the other library cannot be asked: it leaves these out or reads them otherwise. */
const JUDGED: Record<string, string[]> = {
  // Section 3.3.5: of an hour that comes twice, the first.
  'exchange-pacific.ics': ['2026-11-01T08:30:00.000Z'],
  // Section 3.3.5: a time that clocks skip has the offset before the gap.
  'clinic-skipped-hour.ics': [
    '2026-03-06T07:30:00.000Z',
    '2026-03-07T07:30:00.000Z',
    '2026-03-08T07:30:00.000Z',
    '2026-03-09T06:30:00.000Z',
  ],
  // Section 3.8.5.2: RDATE.
  'epic-infusions.ics': ['2026-03-02T15:00:00.000Z', '2026-03-16T15:00:00.000Z', '2026-03-30T14:00:00.000Z'],
  // Section 3.8.3.1: names with a prefix belong to a registry.
  'clinic-mozilla-zone.ics': ['2026-07-14T13:00:00.000Z'],
  'clinic-evolution-zone.ics': ['2026-07-14T13:00:00.000Z'],
  // Section 2: names may be in any case.
  'clinic-lower-case.ics': ['2026-05-14T08:20:00.000Z'],
}

test('Windows time zones are what another list says', (t) => {
  const [at, later] = [Date.UTC(2026, 0, 15, 12), Date.UTC(2026, 6, 15, 12)]
  for (const [name, { iana }] of Object.entries(windowsZones as Record<string, { iana: string[] }>)) {
    const ours = findZone(name)
    if (ours === undefined || iana[0] === undefined) continue
    for (const wall of [at, later]) t.deepEqual(fromWallTime(wall, ours), fromWallTime(wall, iana[0]), name)
  }
  t.is(findZone('toString'), undefined)
})

test('where libraries differ, the standard decides', (t) => {
  t.deepEqual(readdirSync(folder('invitations-judged')).sort(), Object.keys(JUDGED).sort())
  for (const [file, starts] of Object.entries(JUDGED)) {
    const found = planned(read('invitations-judged', file)).flatMap((event) => event.starts)
    t.deepEqual(
      found.map((at) => at.toISOString()),
      starts,
      file,
    )
  }
})

const texts = (name: string) => readdirSync(folder(name)).map((file) => [file, read(name, file)] as const)
const calendars = ['invitations', 'invitations-judged'].flatMap(texts)
const mails = texts('odd-files').map(([file, raw]) => [file, calendarOf(raw)] as const)

/** A folder of tests/appointments/odd-files.test.ts has whole mails. */
function calendarOf(raw: string): string {
  const { content } = readAttachments(Buffer.from(raw)).find(({ contentType }) => contentType === 'text/calendar') ?? {}
  return calendarText(content ?? new Uint8Array())
}

for (const [file, text] of [...calendars, ...mails])
  test(`the card, the calendar and the answer say one time of ${file}`, (t) => {
    const calendar = readCalendar({ text }, RECEIVED)
    const { invitation } = toInvitation(calendar)
    const first = calendar.events.find(({ start }) => start !== undefined)
    if (first === undefined || invitation === undefined) return t.is(invitation, undefined)
    const { starts = [], kind } = toCalendarEvent(first, RECEIVED) ?? {}
    const shown = invitation.start.at?.toISOString() ?? invitation.start.local
    const wordsOf = (at: Date) => at.toISOString().slice(0, { TIME_KIND_DAY: 10, TIME_KIND_LOCAL: 16 }[kind as string])
    // Of an old series, the card says the first date.
    const isOver = first.start !== undefined && first.start.at < RECEIVED
    if (starts.length > 0 && !isOver) t.true(starts.map(wordsOf).includes(shown), shown)
    const asked = toRequest(first)
    if (asked !== undefined) t.is(asked.start.at?.toISOString() ?? asked.start.local, shown)
    t.pass()
  })

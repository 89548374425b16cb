import { createHash } from 'node:crypto'
import { type CalendarEvent, TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import ICAL from 'ical.js'
import { type EventTime, readTime } from './event-times.ts'
import { expandSeries, readRecurrenceId } from './expand-series.ts'

export const MAX_EVENTS = 50
/** Of titles and places, which each occurrence repeats. */
const MAX_CHARS = 200
const MAX_ADDRESS_CHARS = 500
const MAX_UID_CHARS = 1000
const MAX_SEQUENCE = 1_000_000
/** Longer than any hospital stay; the rest is a mistake. */
const MAX_DURATION_SEC = 366 * 86_400

const KINDS = {
  moment: TimeKind.UNSPECIFIED,
  day: TimeKind.DAY,
  local: TimeKind.LOCAL,
}

/** Others, such as REPLY and COUNTER, are between the people who plan it (RFC 5546 section 1.4). */
const METHODS = ['', 'PUBLISH', 'REQUEST', 'CANCEL']

/** Reads the events of a calendar file (RFC 5545, RFC 5546), each in a form that needs no calendar library. Throws if it is not a calendar. */
export function readCalendar(text: string, receivedAt: Date): CalendarEvent[] {
  const calendar = parseCalendar(text)
  const method = lineOf(calendar, 'method').toUpperCase()
  if (!METHODS.includes(method)) return []
  return calendar
    .getAllSubcomponents('vevent')
    .slice(0, MAX_EVENTS)
    .flatMap((event) => readEvent(event, method, receivedAt) ?? [])
}

/** @param others which other lines are read @throws Error if it is not a calendar */
export function parseCalendar(text: string, others = /^$/): ICAL.Component {
  const calendar = new ICAL.Component(ICAL.parse(usedLines(text, others)) as never)
  if (calendar.name !== 'vcalendar') throw new Error('not a calendar')
  return calendar
}

const USED =
  /^(?:BEGIN|END|VERSION|METHOD|UID|DTSTAMP|DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID|SEQUENCE|STATUS|SUMMARY|LOCATION|ORGANIZER|TZID|TZOFFSETFROM|TZOFFSETTO)[;:]/i
/** As long as some hundred excluded days. */
const MAX_LINE_CHARS = 8192

/** The parser's time grows with the square of a line, and one bad line would cost the whole file. */
function usedLines(text: string, others: RegExp): string {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  const isUsed = (line: string) => line.length <= MAX_LINE_CHARS && (USED.test(line) || others.test(line))
  return lines.filter(isUsed).join('\r\n')
}

function readEvent(event: ICAL.Component, method: string, receivedAt: Date): CalendarEvent | undefined {
  const start = readTime(event.getFirstProperty('dtstart'))
  const details = readDetails(event, start, method, receivedAt)
  return details && { ...details, starts: startsOf(event, start, details.recurring, receivedAt) }
}

export type EventDetails = Omit<CalendarEvent, 'starts'>

/** All but the starts, which can take long to find. */
export function readDetails(
  event: ICAL.Component,
  start: EventTime | undefined,
  method: string,
  receivedAt: Date,
): EventDetails | undefined {
  const canceled = method === 'CANCEL' || lineOf(event, 'status').toUpperCase() === 'CANCELLED'
  if (start === undefined && !canceled) return undefined
  const recurrenceId = readRecurrenceId(event, start)
  const recurring = recurrenceId === undefined && (event.hasProperty('rrule') || event.hasProperty('rdate'))
  const { title, place } = { title: lineOf(event, 'summary'), place: lineOf(event, 'location') }
  return {
    uid: lineOf(event, 'uid', MAX_UID_CHARS) || madeUp(title, start),
    recurrenceId: recurrenceId === undefined ? undefined : new Date(recurrenceId),
    canceled,
    andLater: event.getFirstProperty('recurrence-id')?.getFirstParameter('range') === 'THISANDFUTURE',
    sequence: Math.min(Math.max(Math.trunc(Number(lineOf(event, 'sequence'))) || 0, 0), MAX_SEQUENCE),
    stampedAt: new Date(readTime(event.getFirstProperty('dtstamp'))?.at ?? receivedAt.getTime()),
    title,
    place,
    ...organizerOf(event),
    kind: KINDS[start?.kind ?? 'moment'],
    durationSec: start ? durationOf(event, start) : 0,
    recurring,
  }
}

function startsOf(event: ICAL.Component, start: EventTime | undefined, recurring: boolean, receivedAt: Date): Date[] {
  if (start === undefined) return []
  const starts = recurring ? expandSeries(event, start, receivedAt.getTime()) : [start.at]
  return starts.map((at) => new Date(at))
}

function organizerOf(event: ICAL.Component) {
  const organizer = event.getFirstProperty('organizer')
  const address = cleanLine(String(organizer?.getFirstValue() ?? '')).replace(/^mailto:/i, '')
  const name = cleanLine(String(organizer?.getFirstParameter('cn') ?? ''))
  return { organizerName: cut(name, MAX_CHARS), organizerAddress: cut(address.toLowerCase(), MAX_ADDRESS_CHARS) }
}

function durationOf(event: ICAL.Component, start: EventTime): number {
  const end = readTime(event.getFirstProperty('dtend'))
  const duration = event.getFirstPropertyValue('duration')
  const seconds = end
    ? (end.at - start.at) / 1000
    : duration instanceof ICAL.Duration
      ? duration.toSeconds()
      : start.kind === 'day'
        ? 86_400
        : 0
  const least = start.kind === 'day' ? 86_400 : 0
  return Math.min(Math.max(Math.trunc(seconds) || 0, least), MAX_DURATION_SEC)
}

/** Some clinics write none. The same event in another mail gets the same one. */
function madeUp(title: string, start: EventTime | undefined): string {
  const hash = createHash('sha256').update(`${title}\n${start?.at}`).digest('hex')
  return `without-uid-${hash.slice(0, 32)}`
}

export function lineOf(component: ICAL.Component, name: string, maxChars = MAX_CHARS): string {
  return cut(cleanLine(String(component.getFirstPropertyValue(name) ?? '')), maxChars)
}

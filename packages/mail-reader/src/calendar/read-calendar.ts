import { createHash } from 'node:crypto'
import { type CalendarEvent, TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import ICAL from 'ical.js'
import { type EventTime, readTime } from './event-times.ts'
import { expandSeries } from './expand-series.ts'
import { findNamedDay, findOccurrence } from './find-occurrence.ts'
import { type CalendarFile, type ParsedEvent, PLANNING_METHODS } from './parse-calendar.ts'

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

/** The events that a calendar file plans, each in a form that needs no calendar library. */
export function readCalendar({ events }: CalendarFile, receivedAt: Date): CalendarEvent[] {
  return events
    .filter(({ method }) => PLANNING_METHODS.includes(method))
    .slice(0, MAX_EVENTS)
    .map((event) => {
      const details = readDetails(event, receivedAt)
      return { ...details, starts: startsOf(event, details.recurring, receivedAt) }
    })
}

export type EventDetails = Omit<CalendarEvent, 'starts'>

/** All but the starts, which can take long to find. */
export function readDetails({ component, start, seriesStart, canceled }: ParsedEvent, receivedAt: Date): EventDetails {
  const named = readTime(component.getFirstProperty('recurrence-id'))
  const recurring = named === undefined && (component.hasProperty('rrule') || component.hasProperty('rdate'))
  const { title, place } = { title: lineOf(component, 'summary'), place: lineOf(component, 'location') }
  const uid = lineOf(component, 'uid', MAX_UID_CHARS)
  return {
    uid: uid || madeUp(title, start),
    withoutUid: uid === '',
    recurrenceId: named && new Date(seriesStart === undefined ? named.at : findOccurrence(named, seriesStart)),
    recurrenceDay: toDate(named && findNamedDay(named, seriesStart)),
    canceled,
    andLater: component.getFirstProperty('recurrence-id')?.getFirstParameter('range') === 'THISANDFUTURE',
    sequence: Math.min(Math.max(Math.trunc(Number(lineOf(component, 'sequence'))) || 0, 0), MAX_SEQUENCE),
    stampedAt: new Date(readTime(component.getFirstProperty('dtstamp'))?.at ?? receivedAt.getTime()),
    title,
    place,
    ...organizerOf(component),
    kind: KINDS[start?.kind ?? 'moment'],
    durationSec: start ? durationOf(component, start) : 0,
    recurring,
  }
}

function startsOf({ component, start }: ParsedEvent, recurring: boolean, receivedAt: Date): Date[] {
  if (start === undefined) return []
  const starts = recurring ? expandSeries(component, start, receivedAt.getTime()) : [start.at]
  return starts.map((at) => new Date(at))
}

function toDate(at: number | undefined): Date | undefined {
  return at === undefined ? undefined : new Date(at)
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

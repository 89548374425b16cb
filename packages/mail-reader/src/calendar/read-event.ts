import { createHash } from 'node:crypto'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { type CalendarNode, first } from './calendar-tree.ts'
import type { EventDetails, PlannedTime, ReadEvent } from './event-details.ts'
import { asDay, type EventTime, readTime } from './event-times.ts'
import { lastOf, type Recurrence } from './expand-series.ts'
import { findNamedDay, findOccurrence, type Series } from './find-occurrence.ts'
import { findMeeting } from './meeting.ts'
import { attendeesOf, organizerOf } from './people.ts'
import { isMidnight } from './read-time-value.ts'
import { titleOf } from './title.ts'
import type { Zones } from './zones.ts'

export const MAX_CHARS = 500
const MAX_ZONE_CHARS = 60
const MAX_UID_CHARS = 1000
const MAX_SEQUENCE = 1_000_000
/** Longer than any hospital stay; the rest is a mistake. */
const MAX_DURATION_SEC = 366 * DAY_SEC

/** When an event is, before its occurrences are known. */
export type Times = {
  start: EventTime | undefined
  end: EventTime | undefined
  named: EventTime | undefined
}

export function readTimes(node: CalendarNode, zones: Zones): Times {
  const timeOf = (name: string) => {
    const line = first(node, name)
    return line && readTime(line, zones)
  }
  const [start, end, named] = [timeOf('dtstart'), timeOf('dtend'), timeOf('recurrence-id')]
  if (!isWholeDay(node, start, end)) return { start, end, named }
  return { start: start && asDay(start), end: end && asDay(end), named }
}

/** Outlook writes a day as midnights, and says that it is one. */
function isWholeDay(node: CalendarNode, start: EventTime | undefined, end: EventTime | undefined): boolean {
  const said = /^\s*TRUE\s*$/i.test(textOf(node, 'x-microsoft-cdo-alldayevent'))
  return said && [start, end].every((time) => time === undefined || time.kind === 'day' || isMidnight(time.wall))
}

export type Found = { node: CalendarNode; method: string; zones: Zones; times: Times; series: Series | undefined }

export function readEvent({ node, method, zones, times, series }: Found): EventDetails {
  const { start, end, named } = times
  const isCanceled = saysCanceled(node)
  const canceled = method === 'CANCEL' || isCanceled
  const rules = rulesOf(node, 'rrule')
  const title = titleOf(lineOf(node, 'summary'), canceled)
  const uid = lineOf(node, 'uid', MAX_UID_CHARS)
  const organizer = organizerOf(node)
  const attendees = attendeesOf(node).filter(({ address }) => address !== organizer.address)
  const recurring = named === undefined && (rules.length > 0 || first(node, 'rdate') !== undefined)
  const durationSec = start === undefined ? 0 : durationOf(node, start, end)
  const stampedAt = first(node, 'dtstamp')?.time
  return {
    uid: uid || deriveUid(title, start),
    withoutUid: uid === '',
    hasExactUid: uid !== '' && uid === first(node, 'uid')?.text,
    method,
    canceled,
    tentative: /^\s*TENTATIVE\s*$/i.test(textOf(node, 'status')),
    isForAttendees: method === 'CANCEL' && !isCanceled && attendees.length > 0,
    ...(named && nameOf(named, series)),
    seriesKind: series?.start.kind ?? start?.kind ?? 'moment',
    andLater: first(node, 'recurrence-id')?.parameters.range?.toUpperCase() === 'THISANDFUTURE',
    sequence: Math.min(Math.max(Math.trunc(Number(textOf(node, 'sequence'))) || 0, 0), MAX_SEQUENCE),
    ...(stampedAt && { stampedAt: new Date(stampedAt.wall) }),
    title,
    place: lineOf(node, 'location'),
    meeting: findMeeting(node),
    organizer,
    attendees,
    ...(start && { start: toPlanned(start) }),
    ...endOf(start, end, durationSec),
    durationSec,
    recurring,
    frequency: rules[0]?.frequency.toLowerCase() ?? '',
    interval: rules[0]?.interval ?? 1,
    ...(start && lastEnd(recurring, rules, { start, zones, series, durationSec })),
  }
}

/** Undefined if it does not repeat. */
export function recurrenceOf({ node, zones, times, series }: Found): Recurrence | undefined {
  if (times.start === undefined || times.named !== undefined) return undefined
  const all = (name: string) =>
    node.properties.flatMap((line) => (line.name === name ? (readTime(line, zones) ?? []) : []))
  const [rules, added] = [rulesOf(node, 'rrule'), all('rdate')]
  if (rules.length === 0 && added.length === 0) return undefined
  return {
    series: series ?? { start: times.start },
    rules,
    added,
    excluded: all('exdate'),
    excludedRules: rulesOf(node, 'exrule'),
  }
}

function nameOf(named: EventTime, series: Series | undefined): Pick<ReadEvent, 'recurrenceId' | 'recurrenceDay'> {
  const day = findNamedDay(named, series?.start)
  return {
    recurrenceId: new Date(series === undefined ? named.at : findOccurrence(named, series)),
    ...(day !== undefined && { recurrenceDay: new Date(day) }),
  }
}

/** Accepts one L, too, as some programs write it. */
export function saysCanceled(node: CalendarNode): boolean {
  return /^\s*CANCELL?ED\s*$/i.test(textOf(node, 'status'))
}

type Last = { start: EventTime; zones: Zones; series: Series | undefined; durationSec: number }

/** Without expanding the series. A last start may be a day too late, which only offers an answer for longer. */
function lastEnd(
  recurring: boolean,
  rules: ReturnType<typeof rulesOf>,
  { start, zones, series = { start }, durationSec }: Last,
): Pick<ReadEvent, 'endsAt'> {
  if (!recurring) return { endsAt: new Date(start.at + durationSec * 1000) }
  const lasts = rules.map((rule) => lastOf(rule, series, zones))
  const last = Math.max(...lasts.map((at) => at ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(last) ? { endsAt: new Date(last + (DAY_SEC + durationSec) * 1000) } : {}
}

function toPlanned({ kind, at, wall, zone }: EventTime): PlannedTime {
  return { kind, at: new Date(at), wall: new Date(wall), zone: cut(cleanLine(zone), MAX_ZONE_CHARS) }
}

function endOf(start: EventTime | undefined, end: EventTime | undefined, durationSec: number): Pick<ReadEvent, 'end'> {
  if (start === undefined) return {}
  if (end !== undefined && end.kind === start.kind && end.at >= start.at) return { end: toPlanned(end) }
  if (durationSec === 0) return {}
  const ms = durationSec * 1000
  const at = start.at + ms
  return { end: toPlanned({ ...start, at, wall: start.toWall?.(at) ?? start.wall + ms }) }
}

function durationOf(node: CalendarNode, start: EventTime, end: EventTime | undefined): number {
  const least = start.kind === 'day' ? DAY_SEC : 0
  const seconds = end ? (end.at - start.at) / 1000 : (first(node, 'duration')?.seconds ?? 0)
  return Math.min(Math.max(Math.trunc(seconds) || 0, least), MAX_DURATION_SEC)
}

/** Some clinics write none. The same event in another mail gets the same one. */
function deriveUid(title: string, start: EventTime | undefined): string {
  const hash = createHash('sha256').update(`${title}\n${start?.at}`).digest('hex')
  return `without-uid-${hash.slice(0, 32)}`
}

function rulesOf({ properties }: CalendarNode, name: string) {
  return properties.flatMap((line) => (line.name === name && line.rule ? [line.rule] : []))
}

function textOf(node: CalendarNode, name: string): string {
  return first(node, name)?.text ?? ''
}

export function lineOf(node: CalendarNode, name: string, maxChars = MAX_CHARS): string {
  return cut(cleanLine(textOf(node, name)), maxChars)
}

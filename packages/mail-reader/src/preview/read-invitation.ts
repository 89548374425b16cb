import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { toLocalTime } from '@family-inbox/workspace-kit/calendar-changes'
import ICAL from 'ical.js'
import { calendarText } from '../calendar/calendar-text.ts'
import { type EventTime, readTime } from '../calendar/event-times.ts'
import { type CalendarFile, type CalendarLoss, type ParsedEvent, parseCalendar } from '../calendar/parse-calendar.ts'

/** Either a moment, or what the file says: a day, or a time without a time zone. */
export type EventTimeData = { at?: Date; local: string }

export type InvitationData = {
  uid: string
  state: 'new' | 'changed' | 'canceled' | 'answer'
  summary: string
  location: string
  organizer: string
  start: EventTimeData
  end?: EventTimeData
  /** Empty for a single event. */
  frequency: '' | 'daily' | 'weekly' | 'monthly' | 'yearly'
  interval: number
  moreEvents: number
}

export type InvitationPreview = {
  /** Absent if the file has no event to show. */
  invitation: InvitationData | undefined
  losses: CalendarLoss[]
}

const MAX_CHARS = 500
const DAY_MS = 86_400_000
const FREQUENCIES: Record<string, InvitationData['frequency']> = {
  DAILY: 'daily',
  WEEKLY: 'weekly',
  MONTHLY: 'monthly',
  YEARLY: 'yearly',
}

export function readInvitationFile(content: Uint8Array): InvitationPreview {
  const file = parseCalendar(calendarText(content))
  return { invitation: readInvitation(file), losses: file.losses }
}

/** The first event of a calendar file that has a start. Recurrences are described, never expanded. */
export function readInvitation({ events }: CalendarFile): InvitationData | undefined {
  const event = events.find(({ start }) => start !== undefined)
  return event?.start && describe(event, event.start, events)
}

function describe(event: ParsedEvent, start: EventTime, events: ParsedEvent[]): InvitationData {
  const { component } = event
  const rule = component.getFirstPropertyValue('rrule') as ICAL.Recur | null
  return {
    uid: lineOf(component, 'uid'),
    state: stateOf(event),
    summary: lineOf(component, 'summary'),
    location: lineOf(component, 'location'),
    organizer: organizerOf(component),
    start: toWire(start),
    end: endOf(component, start),
    frequency: FREQUENCIES[rule?.freq ?? ''] ?? '',
    interval: Math.max(1, Number(rule?.interval) || 1),
    // Further VEVENTs of the same event change single occurrences.
    moreEvents: new Set(events.map((one) => lineOf(one.component, 'uid'))).size - 1,
  }
}

function stateOf({ component, method, canceled }: ParsedEvent): InvitationData['state'] {
  if (canceled) return 'canceled'
  if (method === 'REPLY' || method === 'COUNTER') return 'answer'
  return Number(lineOf(component, 'sequence')) > 0 ? 'changed' : 'new'
}

function organizerOf(event: ICAL.Component): string {
  const organizer = event.getFirstProperty('organizer')
  const name = cleanLine(String(organizer?.getFirstParameter('cn') ?? ''))
  return cut(name || cleanLine(String(organizer?.getFirstValue() ?? '')).replace(/^mailto:/i, ''), MAX_CHARS)
}

function toWire({ kind, at }: EventTime): EventTimeData {
  return kind === 'moment' ? { at: new Date(at), local: '' } : { local: toLocalTime(new Date(at), kind) }
}

/** The last day of a whole-day event is one before its end. */
function endOf(event: ICAL.Component, start: EventTime): EventTimeData | undefined {
  const end = readTime(event.getFirstProperty('dtend'))
  if (end?.kind === 'day') return toWire({ ...end, at: end.at - DAY_MS })
  if (end !== undefined) return toWire(end)
  const duration = event.getFirstPropertyValue('duration')
  const seconds = duration instanceof ICAL.Duration && start.kind === 'moment' ? duration.toSeconds() : 0
  return seconds > 0 ? toWire({ ...start, at: start.at + seconds * 1000 }) : undefined
}

function lineOf(component: ICAL.Component, name: string): string {
  return cut(cleanLine(String(component.getFirstPropertyValue(name) ?? '')), MAX_CHARS)
}

import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { fromWallTime, isTimeZone } from '@family-inbox/service-kit/text/time-zone'
import ICAL from 'ical.js'

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

const MAX_CHARS = 500
const FREQUENCIES: Record<string, InvitationData['frequency']> = {
  DAILY: 'daily',
  WEEKLY: 'weekly',
  MONTHLY: 'monthly',
  YEARLY: 'yearly',
}

/**
 * Reads the first event of a calendar file (RFC 5545, RFC 5546). Recurrences are described, never expanded. Throws when it
 * has no event with a start.
 */
export function readInvitation(text: string): InvitationData {
  const calendar = new ICAL.Component(ICAL.parse(text.replace(/^\uFEFF/, '')) as never)
  const events = calendar.getAllSubcomponents('vevent')
  const event = events[0]
  if (calendar.name !== 'vcalendar' || event === undefined) throw new Error('no event')
  const start = readTime(event, 'dtstart')
  if (start === undefined) throw new Error('no start')
  const rule = event.getFirstPropertyValue('rrule') as ICAL.Recur | null
  return {
    uid: lineOf(event, 'uid'),
    state: stateOf(calendar, event),
    summary: lineOf(event, 'summary'),
    location: lineOf(event, 'location'),
    organizer: organizerOf(event),
    start,
    end: readTime(event, 'dtend') ?? endByDuration(event, start),
    frequency: FREQUENCIES[rule?.freq ?? ''] ?? '',
    interval: Math.max(1, Number(rule?.interval) || 1),
    // Further VEVENTs of the same event change single occurrences.
    moreEvents: new Set(events.map((one) => lineOf(one, 'uid'))).size - 1,
  }
}

function stateOf(calendar: ICAL.Component, event: ICAL.Component): InvitationData['state'] {
  const method = lineOf(calendar, 'method').toUpperCase()
  if (method === 'CANCEL' || lineOf(event, 'status').toUpperCase() === 'CANCELLED') return 'canceled'
  if (method === 'REPLY' || method === 'COUNTER') return 'answer'
  return Number(lineOf(event, 'sequence')) > 0 ? 'changed' : 'new'
}

function organizerOf(event: ICAL.Component): string {
  const organizer = event.getFirstProperty('organizer')
  const name = cleanLine(String(organizer?.getFirstParameter('cn') ?? ''))
  return cut(name || cleanLine(String(organizer?.getFirstValue() ?? '')).replace(/^mailto:/i, ''), MAX_CHARS)
}

/** The last day of a whole-day event is one before its end. */
function readTime(event: ICAL.Component, name: 'dtstart' | 'dtend'): EventTimeData | undefined {
  const property = event.getFirstProperty(name)
  const time = property?.getFirstValue()
  if (!(time instanceof ICAL.Time) || !Number.isFinite(time.year)) return undefined
  if (time.isDate) {
    if (name === 'dtend') time.adjust(-1, 0, 0, 0)
    return { local: time.toString().slice(0, 10) }
  }
  return toMoment(time, property?.getFirstParameter('tzid') ?? '')
}

/** Names of time zones go before their definitions in the file, which may say anything. */
function toMoment(time: ICAL.Time, zoneName: string): EventTimeData {
  const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  if (isTimeZone(zoneName)) return { at: fromWallTime(wall, zoneName), local: '' }
  if (time.zone !== ICAL.Timezone.localTimezone) return { at: new Date(time.toUnixTime() * 1000), local: '' }
  return { local: new Date(wall).toISOString().slice(0, 16) }
}

function endByDuration(event: ICAL.Component, { at }: EventTimeData): EventTimeData | undefined {
  const duration = event.getFirstPropertyValue('duration')
  if (!(duration instanceof ICAL.Duration) || at === undefined) return undefined
  const seconds = duration.toSeconds()
  return seconds > 0 ? { at: new Date(at.getTime() + seconds * 1000), local: '' } : undefined
}

function lineOf(component: ICAL.Component, name: string): string {
  return cut(cleanLine(String(component.getFirstPropertyValue(name) ?? '')), MAX_CHARS)
}

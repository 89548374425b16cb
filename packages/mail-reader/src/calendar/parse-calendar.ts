import ICAL from 'ical.js'
import { type CalendarNode, readTree } from './calendar-tree.ts'
import { type EventTime, isKnownZone, readTime } from './event-times.ts'

/** What a file says that could not be read: all of it; events; how one repeats; anything else of an event. */
export type CalendarLoss = 'all' | 'events' | 'rule' | 'details'

export type ParsedEvent = {
  component: ICAL.Component
  /** Of its calendar, in upper case; may be empty. */
  method: string
  canceled: boolean
  /** Present if it plans something. */
  start?: EventTime | undefined
  /** Of the series that it changes one occurrence of, if the file has it; else its own start. */
  seriesStart?: EventTime | undefined
}

export type CalendarFile = { events: ParsedEvent[]; losses: CalendarLoss[] }

/** Others, such as REPLY and COUNTER, are between the people who plan it (RFC 5546 section 1.4). */
export const PLANNING_METHODS = ['', 'PUBLISH', 'REQUEST', 'CANCEL']

/**
 * Reads a calendar file (RFC 5545) that anybody may have written, for everyone who shows or plans its events. A line that cannot be read
 * costs this line, and an event whose start cannot be read costs this event. Never throws, and takes time in proportion to the text.
 */
export function parseCalendar(text: string): CalendarFile {
  const { calendars, others } = readTree(text)
  const found = calendars.flatMap(eventsOf)
  const events = found.flatMap(({ event }) => event ?? [])
  const lost = new Set(found.flatMap(({ losses }) => losses))
  if (events.length === 0) return { events, losses: lost.has('events') || !others ? ['all'] : [] }
  const series = new Map(events.filter(isWhole).map((event) => [uidOf(event), event.start]))
  for (const event of events) event.seriesStart = (!isWhole(event) && series.get(uidOf(event))) || event.start
  return { events, losses: LOSSES.filter((one) => lost.has(one)) }
}

const LOSSES: CalendarLoss[] = ['events', 'rule', 'details']

/** No file needs more, and each event may look through all of them. */
const MAX_ZONES = 50

type Found = { event?: ParsedEvent; losses: CalendarLoss[] }

function eventsOf(calendar: CalendarNode): Found[] {
  const zones = calendar.children.filter(({ name }) => name === 'vtimezone').slice(0, MAX_ZONES)
  const nodes = calendar.children.filter(({ name }) => name === 'vevent')
  const whole = { ...calendar, children: [...zones.filter(isDefinition), ...nodes] }
  const component = new ICAL.Component(toJCal(whole) as never)
  const method = String(component.getFirstPropertyValue('method') ?? '')
    .trim()
    .toUpperCase()
  const found = component
    .getAllSubcomponents('vevent')
    .map((one, index) => readOrLose(() => readEvent(one, nodes[index] as CalendarNode, method)))
  return [...found, { losses: lossesAround(calendar, zones) }]
}

/** The library may fail at a zone whose every line can be read. */
function readOrLose(read: () => Found): Found {
  try {
    return read()
  } catch {
    return { losses: ['events'] }
  }
}

function lossesAround({ properties, lost }: CalendarNode, zones: CalendarNode[]): CalendarLoss[] {
  const isWithoutBegin = lost.has('dtstart') || properties.some(([name]) => name === 'dtstart')
  const isZoneLost = zones.some((zone) => !isDefinition(zone) && !isKnownZone(zoneName(zone)))
  return [
    ...(isWithoutBegin ? ['events' as const] : []),
    ...(isZoneLost || lost.has('method') ? ['details' as const] : []),
  ]
}

/** Which occurrence it is about must be known, or a change of one would be a change of all. */
function readEvent(component: ICAL.Component, { lost }: CalendarNode, method: string): Found {
  const startOf = (name: string) => readTime(component.getFirstProperty(name))
  const status = String(component.getFirstPropertyValue('status') ?? '')
  const canceled = method === 'CANCEL' || /^\s*CANCELL?ED\s*$/i.test(status)
  const start = startOf('dtstart')
  const needsStart = PLANNING_METHODS.includes(method) && !canceled
  const isOneOf = lost.has('recurrence-id') || component.hasProperty('recurrence-id')
  const isOneLost = isOneOf && startOf('recurrence-id') === undefined
  if ((needsStart && start === undefined) || isOneLost) return { losses: ['events'] }
  // When it was written tells a family nothing.
  const losses = [...lost].filter((name) => name !== 'dtstamp').map((name) => (name === 'rrule' ? 'rule' : 'details'))
  return { event: { component, method, canceled, start }, losses }
}

/** Half of a definition would give wrong times; none gives times without a zone. */
function isDefinition(zone: CalendarNode): boolean {
  const isComplete = ({ properties, lost }: CalendarNode) => {
    const names = new Set(properties.map(([name]) => name))
    return lost.size === 0 && ['dtstart', 'tzoffsetfrom', 'tzoffsetto'].every((name) => names.has(name))
  }
  return zoneName(zone) !== '' && zone.children.length > 0 && zone.children.every(isComplete)
}

function zoneName({ properties }: CalendarNode): string {
  return String(properties.find(([name]) => name === 'tzid')?.[3] ?? '')
}

function toJCal({ name, properties, children }: CalendarNode): unknown[] {
  return [name, properties, children.map(toJCal)]
}

function isWhole({ component }: ParsedEvent): boolean {
  return !component.hasProperty('recurrence-id')
}

function uidOf({ component }: ParsedEvent): string {
  return String(component.getFirstPropertyValue('uid') ?? '')
}

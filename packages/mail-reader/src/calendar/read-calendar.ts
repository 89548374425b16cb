import { type CalendarNode, first, readTree } from './calendar-tree.ts'
import type { ReadEvent } from './event-details.ts'
import type { Steps } from './expand-rule.ts'
import { expandSeries } from './expand-series.ts'
import { type Found, readEvent, readTimes, recurrenceOf, saysCanceled } from './read-event.ts'
import { type CalendarTask, readTasks } from './read-tasks.ts'
import { type LookUps, newLookUps, readZones, type Zones } from './zones.ts'

/** The parts of a file that could not be read: all of it; events; how one repeats; anything else of an event. */
export type CalendarLoss = 'all' | 'events' | 'rule' | 'details'

export type CalendarFile = { events: ReadEvent[]; losses: CalendarLoss[]; tasks: CalendarTask[] }

export type CalendarSource = {
  text: string
  /** The method in its Content-Type (RFC 6047 section 2.4), for calendars that name none. */
  method?: string | undefined
}

/** Others, such as REPLY and COUNTER, are between the people who plan it (RFC 5546 section 1.4). */
export const PLANNING_METHODS = ['', 'PUBLISH', 'REQUEST', 'CANCEL']
const LOSSES: CalendarLoss[] = ['events', 'rule', 'details']
export const MAX_EVENTS = 50
/** The limit for all series of a mail together: ten yearly ones of a hundred years. */
const MAX_STEPS = 400_000

export function newSteps(): Steps {
  return { left: MAX_STEPS }
}

/**
 * Reads a calendar file (RFC 5545) that anybody may have written, for everyone who shows, plans or answers its events. A line that
 * cannot be read costs this line, and an event whose start cannot be read costs this event. Never throws, and takes time in
 * proportion to the text and the steps.
 * @param receivedAt of the mail: a series is expanded around it
 * @param steps of the whole mail
 */
export function readCalendar(source: CalendarSource, receivedAt: Date, steps = newSteps()): CalendarFile {
  const { calendars, others } = readTree(source.text)
  const lookUps = newLookUps()
  const read = calendars.map((calendar) => findEvents(calendar, source.method, lookUps))
  const found = read.flatMap((one) => one.found)
  const tasks = read.flatMap((one) => one.tasks)
  const lost = new Set(read.flatMap(({ losses }) => losses))
  if (found.length === 0) return { events: [], losses: lost.has('events') || !others ? ['all'] : [], tasks }
  const events = withSeries(found)
    .slice(0, MAX_EVENTS)
    .map((event) => ({ ...readEvent(event), starts: startsOf(event, receivedAt, steps) }))
  return { events, losses: LOSSES.filter((loss) => lost.has(loss)), tasks }
}

type Read = { found: Found[]; losses: CalendarLoss[] }

function findEvents(
  calendar: CalendarNode,
  declared: string | undefined,
  lookUps: LookUps,
): Read & { tasks: CalendarTask[] } {
  const zones = readZones(calendar, lookUps)
  const method = (first(calendar, 'method')?.text ?? declared ?? '').trim().toUpperCase()
  const nodes = calendar.children.filter(({ name }) => name === 'vevent')
  const found = nodes.map((node) => findEvent(node, method, zones))
  const isWithoutBegin = calendar.lost.has('dtstart') || first(calendar, 'dtstart') !== undefined
  return {
    found: found.flatMap((one) => one.found),
    losses: [
      ...found.flatMap((one) => one.losses),
      ...(isWithoutBegin ? ['events' as const] : []),
      ...(zones.isLost || calendar.lost.has('method') ? ['details' as const] : []),
    ],
    tasks: readTasks(calendar, method, zones),
  }
}

/** Which occurrence it is about must be known, or a change of one would be a change of all. */
function findEvent(node: CalendarNode, method: string, zones: Zones): Read {
  const times = readTimes(node, zones)
  const isCanceled = method === 'CANCEL' || saysCanceled(node)
  const needsStart = PLANNING_METHODS.includes(method) && !isCanceled
  const isOneLost = node.lost.has('recurrence-id') && times.named === undefined
  if ((needsStart && times.start === undefined) || isOneLost) return { found: [], losses: ['events'] }
  // When it was written tells a family nothing.
  const losses = [...node.lost].filter((name) => !UNSHOWN.test(name)).map(lossOf)
  return { found: [{ node, method, zones, times, series: undefined }], losses }
}

const UNSHOWN = /^(?:dtstamp|description|url|conference|x-.*)$/

function lossOf(name: string): CalendarLoss {
  return name === 'rrule' ? 'rule' : 'details'
}

/** A changed occurrence is named in the form of its series, if the file has it; else its own start is the best guess. */
function withSeries(found: Found[]): Found[] {
  const wholes = found.filter(({ times }) => times.named === undefined)
  const starts = new Map(wholes.map(({ node, times }) => [uidOf(node), times.start]))
  return found.map((event) => {
    const sender = event.zones.ofSender
    const whole = event.times.named === undefined ? event.times.start : starts.get(uidOf(event.node))
    const start = whole ?? event.times.start
    if (start === undefined) return event
    return { ...event, series: { start, sender, ...(whole === undefined && { isElsewhere: true }) } }
  })
}

function uidOf(node: CalendarNode): string {
  return first(node, 'uid')?.text ?? ''
}

function startsOf(found: Found, receivedAt: Date, steps: Steps): Date[] {
  const { start } = found.times
  if (start === undefined) return []
  const recurrence = recurrenceOf(found)
  const starts = recurrence ? expandSeries(recurrence, found.zones, receivedAt.getTime(), steps) : [start.at]
  return starts.map((at) => new Date(at))
}

import { type CalendarEvent, TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import { occurrenceKey } from '@family-inbox/workspace-kit/calendar-changes'
import { findStart } from '@family-inbox/workspace-kit/occurrence-names'
import type { Appointment, Component, TimeKind as Kind } from '../models/appointment.ts'

const KINDS: Record<TimeKind, Kind> = {
  [TimeKind.UNSPECIFIED]: 'moment',
  [TimeKind.DAY]: 'day',
  [TimeKind.LOCAL]: 'local',
  [TimeKind.UNRECOGNIZED]: 'moment',
}

const MAX_COMPONENTS = 200

type Changed = Pick<Appointment, 'components' | 'canceledByFamily'>

/** The components after an event of its own sender (RFC 5546 section 2.1.5); undefined when they are newer than it. */
export function applyEvent({ components, canceledByFamily }: Changed, named: CalendarEvent): Changed | undefined {
  const series = components.find(({ recurrenceId }) => recurrenceId === undefined)
  const event = withStart(named, series)
  const known = components.find((one) => isSame(one.recurrenceId, event.recurrenceId))
  if (known !== undefined && !isNewer(event, known)) return undefined
  const remaining = remainingAttendees(event, known ?? series)
  if (remaining.length > 0) return known && withAttendees({ components, canceledByFamily }, known, remaining)
  const component = toComponent(event, known, series)
  const rest = components.filter((one) => one !== known)
  const kept =
    event.recurrenceId === undefined ? withoutReset(rest, known, component).map(withStartOf(component)) : rest
  // The series first, or many changed occurrences would push it out.
  const { whole = [], changed = [] } = Object.groupBy([component, ...kept], (one) =>
    one.recurrenceId ? 'changed' : 'whole',
  )
  return {
    components: [...whole, ...changed].slice(0, MAX_COMPONENTS),
    canceledByFamily: event.canceled ? canceledByFamily : stillCanceled(canceledByFamily, component),
  }
}

/**
 * The invited who remain after a cancellation for some attendees only (RFC 5546 section 3.2.5); nobody after any other. A
 * cancellation that names nobody from the invitation is for the family: it was sent to another address of theirs.
 */
function remainingAttendees(event: CalendarEvent, known: Component | undefined): string[] {
  const { attendees = [], others = [] } = known ?? {}
  const named = new Set([...event.attendees, ...event.colleagues])
  if (!event.isForAttendees || ![...attendees, ...others].some((address) => named.has(address))) return []
  return attendees.filter((attendee) => !named.has(attendee))
}

/** The version stays, or the next removal of the same version would be old. Undefined if nobody is removed. */
function withAttendees(
  { components, canceledByFamily }: Changed,
  known: Component,
  attendees: string[],
): Changed | undefined {
  const { attendees: before = [], others = [] } = known
  if (attendees.length === before.length) return undefined
  // Remembered, or the same mail again would name nobody whom we know.
  const changed = {
    ...known,
    attendees,
    others: [...others, ...before.filter((address) => !attendees.includes(address))],
  }
  return { components: components.map((component) => (component === known ? changed : component)), canceledByFamily }
}

/** Adds the occurrence that the event means, however it names it. */
function withStart(event: CalendarEvent, series: Component | undefined): CalendarEvent {
  const { recurrenceId: at, recurrenceDay: day, kind } = event
  return at && series ? { ...event, recurrenceId: findStart({ at, day, kind: KINDS[kind] }, series) } : event
}

/** The same for changes that came before their series. A cancellation is when its occurrence is. */
function withStartOf(series: Component): (changed: Component) => Component {
  return (changed) => {
    const { recurrenceId: at, kind, canceled, starts } = changed
    if (at === undefined) return changed
    const recurrenceId = findStart({ at, day: undefined, kind }, series)
    const isBare = canceled && isSame(starts[0], at)
    return { ...changed, recurrenceId, ...(isBare && { starts: [recurrenceId], kind: series.kind }) }
  }
}

function isNewer(event: CalendarEvent, { sequence, stampedAt, canceled }: Component): boolean {
  if (event.sequence !== sequence) return event.sequence > sequence
  const stamp = event.stampedAt ?? new Date(0)
  // Some programs cancel with the version that they invited with.
  return stamp > stampedAt || (event.canceled && !canceled && isSame(stamp, stampedAt))
}

/** A cancellation changes nothing else, even if it says so; of something unknown, it only keeps late invitations away. */
function toComponent(event: CalendarEvent, known: Component | undefined, series: Component | undefined): Component {
  const { recurrenceId, canceled, sequence, stampedAt = new Date(0), andLater } = event
  const version = { sequence, stampedAt, canceled, ...(andLater && { andLater: true as const }) }
  if (canceled && known !== undefined) return { ...known, ...version }
  const { durationSec, recurring } = event
  const starts = canceled ? (recurrenceId ? [recurrenceId] : []) : event.starts
  const kind = canceled && event.starts.length === 0 ? (series?.kind ?? 'moment') : KINDS[event.kind]
  const said = { title: titleOf(event, series), place: event.place, kind, starts, durationSec, recurring }
  return { ...(recurrenceId && { recurrenceId }), ...version, ...said, ...detailsOf(event) }
}

/** A program may write before the title that it is canceled, in any language; we say it ourselves. */
function titleOf({ title, canceled }: CalendarEvent, series: Component | undefined): string {
  return canceled && series !== undefined && title.endsWith(series.title) ? series.title : title
}

/** The fields that few events have. */
function detailsOf({ tentative, attendees, colleagues, link, note }: CalendarEvent): Partial<Component> {
  return {
    ...(tentative && { tentative: true as const }),
    ...(attendees.length > 0 && { attendees }),
    ...(colleagues.length > 0 && { others: colleagues }),
    ...(link !== '' && { link }),
    ...(note !== '' && { note }),
  }
}

/** A series with other times drops the older changes of single occurrences. */
function withoutReset(changed: Component[], before: Component | undefined, series: Component): Component[] {
  if (before === undefined || series.canceled || isSameTimes(before, series)) return changed
  return changed.filter(({ sequence }) => sequence >= series.sequence)
}

function isSameTimes(before: Component, series: Component): boolean {
  // The window of a series moves on with each mail, so only its time of day and length tell.
  const [a, b] = [before.starts[0], series.starts[0]]
  const isSameClock = a !== undefined && b !== undefined && before.starts.some((at) => isSame(at, b))
  return isSameClock && before.durationSec === series.durationSec && before.recurring === series.recurring
}

/** The sender plans it again. */
function stillCanceled(canceled: string[], { recurrenceId }: Component): string[] {
  return recurrenceId === undefined ? [] : canceled.filter((key) => key !== occurrenceKey(recurrenceId))
}

function isSame(a: Date | undefined, b: Date | undefined): boolean {
  return a?.getTime() === b?.getTime()
}

import type { CalendarLine } from './read-property.ts'
import { dayOf, type TimeValue } from './read-time-value.ts'
import type { Zone } from './zone-definition.ts'
import { UTC, type Zones } from './zones.ts'

/** Moments; whole days; or what clocks at the place show. The latter two are written as if in UTC. */
export type TimeKind = 'moment' | 'day' | 'local'

/** A time of an event, and when others of its series are; in milliseconds. */
export type EventTime = {
  kind: TimeKind
  /** The time on clocks at the place; a day counts as its midnight. */
  wall: number
  at: number
  /** As the file names it; empty for a day, and for what has none. */
  zone: string
  isUtc: boolean
  toMoment(wall: number): number
  /** Absent if nobody knows where it is. */
  toWall?: (at: number) => number
}

export function readTime({ time, parameters }: CalendarLine, zones: Zones): EventTime | undefined {
  return time && toEventTime(time, parameters.tzid ?? '', zones)
}

/** A name that nobody knows means local time, as does none in a calendar without a zone. */
export function toEventTime({ wall, isDay, isUtc }: TimeValue, name: string, zones: Zones): EventTime {
  if (isDay) return { kind: 'day', wall, at: wall, zone: '', isUtc: false, toMoment: dayOf }
  const zone = isUtc ? UTC : name.trim() === '' ? zones.ofCalendar : zones.find(name.trim())
  const named = { wall, zone: isUtc ? 'UTC' : name.trim(), isUtc }
  if (zone === undefined) return { ...named, kind: 'local', at: wall, toMoment: asWritten }
  return { ...named, kind: 'moment', at: zone.toMoment(wall), ...ofZone(zone) }
}

/** A whole day that a program writes as midnights. */
export function asDay(time: EventTime): EventTime {
  return { kind: 'day', wall: dayOf(time.wall), at: dayOf(time.wall), zone: '', isUtc: false, toMoment: dayOf }
}

function ofZone({ toMoment, toWall }: Zone): Pick<EventTime, 'toMoment' | 'toWall'> {
  return { toMoment, toWall }
}

function asWritten(wall: number): number {
  return wall
}

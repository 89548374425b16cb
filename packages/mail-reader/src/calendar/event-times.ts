import { fromWallTime, isTimeZone } from '@family-inbox/service-kit/text/time-zone'
import ICAL from 'ical.js'
import { fromWindowsZone } from './windows-zones.ts'

/** Moments; whole days; or what clocks at the place show. The latter two are written as if in UTC. */
export type TimeKind = 'moment' | 'day' | 'local'

/** A time as the file writes it, and when others of its series are. */
export type EventTime = {
  kind: TimeKind
  time: ICAL.Time
  /** In milliseconds since 1970. */
  at: number
  toMoment(wall: ICAL.Time): number
}

/** Undefined without a time that we can plan. */
export function readTime(property: ICAL.Property | null): EventTime | undefined {
  const time = property?.getFirstValue()
  if (property === null || !(time instanceof ICAL.Time) || !isPossible(time)) return undefined
  return toEventTime(time, String(property.getFirstParameter('tzid') ?? ''))
}

/** All of a property that may come several times, such as EXDATE. */
export function readTimes(component: ICAL.Component, name: string): EventTime[] {
  return component.getAllProperties(name).flatMap((property) => readTime(property) ?? [])
}

/** @param zoneName as the file writes it */
export function toEventTime(time: ICAL.Time, zoneName = ''): EventTime {
  const [kind, toMoment] = chooseZone(time, zoneName)
  return { kind, time, at: toMoment(time), toMoment }
}

type Zone = [TimeKind, (wall: ICAL.Time) => number]

/** Names of time zones go before their definitions in the file, which may say anything. A name nobody knows means local time. */
function chooseZone(time: ICAL.Time, zoneName: string): Zone {
  if (time.isDate) return ['day', (wall) => Math.floor(asIfUtc(wall) / DAY_MS) * DAY_MS]
  const zone = time.zone
  if (zone === ICAL.Timezone.utcTimezone) return ['moment', asIfUtc]
  const known = knownZone(zoneName)
  if (known !== undefined) return ['moment', (wall) => fromWallTime(asIfUtc(wall), known).getTime()]
  if (zone && zone !== ICAL.Timezone.localTimezone) return ['moment', (wall) => inZone(wall, zone)]
  return ['local', asIfUtc]
}

export function isKnownZone(name: string): boolean {
  return knownZone(name) !== undefined
}

/** Mozilla, Evolution and others write a prefix, such as `/freeassociation.sourceforge.net/Europe/Berlin`. */
function knownZone(name: string): string | undefined {
  const [first, , ...rest] = name.trim().split('/', 6)
  const names = first === '' ? [rest.join('/'), rest.slice(1).join('/')] : [fromWindowsZone(name.trim()) ?? name.trim()]
  return names.find(isTimeZone)
}

function inZone(wall: ICAL.Time, zone: ICAL.Timezone): number {
  return asIfUtc(wall) - zone.utcOffset(wall) * 1000
}

const DAY_MS = 86_400_000

function asIfUtc({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Protobuf timestamps and everyone's calendars end before the year 10000. */
function isPossible({ year }: ICAL.Time): boolean {
  return Number.isFinite(year) && year >= 1970 && year < 9000
}

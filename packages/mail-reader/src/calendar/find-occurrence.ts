import { clockAt } from '@family-inbox/workspace-kit/occurrence-names'
import type { EventTime } from './event-times.ts'
import { dayOf, isMidnight } from './read-time-value.ts'
import type { Zone } from './zone-definition.ts'

/** A series as its file has it, or any start of one that is elsewhere. `sender`: the zone of a file that has one. */
export type Series = { start: EventTime; isElsewhere?: boolean; sender?: Zone | undefined }

/**
 * When the occurrence starts that a RECURRENCE-ID, EXDATE, RDATE or UNTIL names, in milliseconds. Exchange names a day by its midnight in
 * some zone or in UTC; others name a time by its day, or without its zone.
 */
export function findOccurrence(named: EventTime, { start, isElsewhere, sender }: Series): number {
  if (start.kind === 'day') return findDay(named, sender)
  if (named.kind === 'day') return start.toMoment(named.wall + clockOf(start))
  if (named.kind === 'local' && start.kind === 'moment') return ofDayOr(named.wall, start, start.toMoment)
  if (named.kind === 'moment' && start.kind === 'local')
    return named.isUtc ? clockAt(named.at, start.at) : ofDayOr(named.wall, start, (wall) => wall)
  // The series starts at no midnight, so this one is a day. Of a series elsewhere nobody knows that here.
  return isElsewhere ? named.at : ofDayOr(wallOf(named, start), start, () => named.at)
}

/** When the day begins that it names, if it names one: of a series at other times that the file does not have, this tells the occurrence. */
export function findNamedDay(named: EventTime, start: EventTime | undefined): number | undefined {
  if (named.kind === 'day') return start === undefined ? named.at : start.toMoment(named.wall)
  const wall = start === undefined ? named.wall : wallOf(named, start)
  const isOfPlace = !named.isUtc || (start?.toWall !== undefined && !start.isUtc)
  if (!isMidnight(wall) || !isOfPlace) return undefined
  return named.kind === 'local' && start?.kind === 'moment' ? start.toMoment(wall) : named.at
}

function findDay(named: EventTime, sender: Zone | undefined): number {
  if (!named.isUtc) return dayOf(named.wall)
  const there = sender?.toWall(named.at)
  return there !== undefined && isMidnight(there) ? there : clockAt(named.at, 0)
}

/** The time on clocks at the place, for a time that was written in UTC. */
function wallOf(named: EventTime, start: EventTime): number {
  return named.isUtc && start.toWall !== undefined ? start.toWall(named.at) : named.wall
}

function ofDayOr(wall: number, start: EventTime, toMoment: (wall: number) => number): number {
  return isMidnight(wall) && clockOf(start) !== 0 ? start.toMoment(wall + clockOf(start)) : toMoment(wall)
}

function clockOf({ wall }: EventTime): number {
  return wall - dayOf(wall)
}

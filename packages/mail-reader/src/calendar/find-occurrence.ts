import { clockAt } from '@family-inbox/workspace-kit/occurrence-names'
import ICAL from 'ical.js'
import type { EventTime } from './event-times.ts'

/**
 * When the occurrence starts that a RECURRENCE-ID, EXDATE, RDATE or UNTIL names, in milliseconds. Exchange names a day by its midnight in
 * some zone or in UTC; others name a time by its day, or without its zone.
 * @param series any start of the series
 */
export function findOccurrence({ kind, at, time }: EventTime, series: EventTime): number {
  if (kind === series.kind) return at
  if (kind === 'day') return series.toMoment(withClock(time, series.time))
  if (time.zone === ICAL.Timezone.utcTimezone) return clockAt(at, series.at)
  return series.toMoment(time)
}

/** When the day begins that it names, if it names one: of a series at other times that the file does not have, this tells the occurrence. */
export function findNamedDay({ kind, at, time }: EventTime, series: EventTime | undefined): number | undefined {
  const isMidnight = time.hour === 0 && time.minute === 0 && time.second === 0
  if (kind !== 'day') return isMidnight && time.zone !== ICAL.Timezone.utcTimezone ? at : undefined
  return series === undefined ? at : series.toMoment(withClock(time, MIDNIGHT))
}

const MIDNIGHT = { hour: 0, minute: 0, second: 0 }

function withClock(day: ICAL.Time, { hour, minute, second }: typeof MIDNIGHT): ICAL.Time {
  const wall = day.clone()
  wall.isDate = false
  wall.hour = hour
  wall.minute = minute
  wall.second = second
  return wall
}

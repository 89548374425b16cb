import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { daysApart, shiftDay } from './days.ts'
import type { TimelineEvent } from './event.ts'

/** Days on which an agency that sends otherwise sent nothing about a loved one: the first and the last of them. */
export type Gap = { lovedOneName: string; source: string; firstDay: string; lastDay: string }

/** Agencies come on working days, so a weekend is no silence. */
const SILENT_DAYS = 3

/**
 * The silences between events, for each loved one and agency by itself.
 * @param events newest first
 */
export function findGaps(events: TimelineEvent[], clock: ReaderClock): Gap[] {
  return streamsOf(events).flatMap((stream) => {
    const days = [...new Set(stream.map(({ occurredAt }) => calendarDay(occurredAt, clock)))]
    return days.slice(1).flatMap((earlier, index) => toGap(stream, earlier, days[index] ?? earlier))
  })
}

/**
 * Since when agencies have sent nothing, until today; for those that have been silent for days.
 * @param events the newest there are, newest first
 */
export function findSilences(events: TimelineEvent[], clock: ReaderClock): Gap[] {
  const today = calendarDay(clock.now, clock)
  return streamsOf(events).flatMap((stream) => {
    const [newest] = stream
    return newest ? toGap(stream, calendarDay(newest.occurredAt, clock), today) : []
  })
}

/** Events by loved one and agency. */
function streamsOf(events: TimelineEvent[]): TimelineEvent[][] {
  return [...Map.groupBy(events, ({ lovedOne, source }) => `${lovedOne.id} ${source}`).values()]
}

function toGap([event]: TimelineEvent[], before: string, after: string): Gap[] {
  if (event === undefined || daysApart(before, after) - 1 < SILENT_DAYS) return []
  const { source, lovedOne } = event
  return [{ lovedOneName: lovedOne.name, source, firstDay: shiftDay(before, 1), lastDay: shiftDay(after, -1) }]
}

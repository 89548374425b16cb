import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { TimelineEvent } from './event.ts'

/** Days without events from an agency that otherwise sends, first and last included. */
export type Gap = { lovedOneName: string; source: string; firstDay: string; lastDay: string }

/** More than a weekend: agencies often visit on working days only. */
const MIN_GAP_DAYS = 3

/** Finds gaps between events, newest first, per loved one and agency. */
export function findGaps(events: TimelineEvent[], clock: ReaderClock): Gap[] {
  return streamsOf(events).flatMap((stream) => {
    const days = [...new Set(stream.map(({ occurredAt }) => calendarDay(occurredAt, clock)))]
    return days.slice(1).flatMap((earlier, index) => toGap(stream, earlier, days[index] ?? earlier))
  })
}

/** Finds gaps that last until today. The events start with the newest of all. */
export function findOpenGaps(events: TimelineEvent[], clock: ReaderClock): Gap[] {
  const today = calendarDay(clock.now, clock)
  return streamsOf(events).flatMap((stream) => {
    const [newest] = stream
    return newest ? toGap(stream, calendarDay(newest.occurredAt, clock), today) : []
  })
}

function streamsOf(events: TimelineEvent[]): TimelineEvent[][] {
  return [...Map.groupBy(events, ({ lovedOne, source }) => `${lovedOne.id} ${source}`).values()]
}

function toGap([event]: TimelineEvent[], before: string, after: string): Gap[] {
  if (event === undefined || daysApart(before, after) - 1 < MIN_GAP_DAYS) return []
  const { source, lovedOne } = event
  return [{ lovedOneName: lovedOne.name, source, firstDay: shiftDay(before, 1), lastDay: shiftDay(after, -1) }]
}

function daysApart(earlier: string, later: string): number {
  return Math.round((Date.parse(`${later}T12:00:00Z`) - Date.parse(`${earlier}T12:00:00Z`)) / DAY_MS)
}

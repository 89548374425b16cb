import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { TimelineEvent } from './event.ts'

export const DAY_MS = 86_400_000

type Day = { day: string; events: TimelineEvent[] }

/** Groups events, newest first, by the reader's days. */
export function groupByDay(events: TimelineEvent[], clock: ReaderClock): Day[] {
  const byDay = Map.groupBy(events, ({ occurredAt }) => calendarDay(occurredAt, clock))
  return [...byDay].map(([day, ofDay]) => ({ day, events: ofDay }))
}

export function daysAgo(days: number, now: Date): Date {
  return new Date(now.getTime() - days * DAY_MS)
}

/** Adds days to a calendar day such as `2026-05-12`. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

export function daysApart(earlier: string, later: string): number {
  return Math.round((Date.parse(`${later}T12:00:00Z`) - Date.parse(`${earlier}T12:00:00Z`)) / DAY_MS)
}

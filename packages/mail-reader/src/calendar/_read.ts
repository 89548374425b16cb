import type { CalendarEvent } from '@family-inbox/proto/calendar/v1/calendar_change'
import { readCalendar } from './read-calendar.ts'
import { toCalendarEvent } from './to-change.ts'

/** What a calendar file plans when it arrives then. */
export function planned(text: string, now: Date): CalendarEvent[] {
  return readCalendar({ text }, now).events.flatMap((event) => toCalendarEvent(event, now) ?? [])
}

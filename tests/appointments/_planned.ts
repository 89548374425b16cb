import { readCalendar } from '@family-inbox/mail-reader/calendar/read-calendar'
import { toCalendarEvent } from '@family-inbox/mail-reader/calendar/to-change'
import type { CalendarEvent } from '@family-inbox/proto/calendar/v1/calendar_change'

/** What a calendar file plans when it arrives then. */
export function planned(text: string, now: Date): CalendarEvent[] {
  return readCalendar({ text }, now).events.flatMap((event) => toCalendarEvent(event, now) ?? [])
}

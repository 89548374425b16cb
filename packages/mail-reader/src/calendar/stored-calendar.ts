import type { FileOfCalendar } from './calendar-files.ts'
import type { EventDetails } from './event-details.ts'

/** The content of a mail’s calendar files, kept with the mail so that no page reads them again. */
export type StoredCalendar = { version: number; files: FileOfCalendar[] }

/** Another version is read again. */
const VERSION = 1
/** The limit for all files together. Nobody is invited to more, and pages show the first event of a file. */
const MAX_EVENTS = 50
/** The limit for events that can be answered: each has up to fifty attendees. */
const MAX_ATTENDEES = 200

/** At most 50 events with 200 attendees: about 300 KB where each text is as long as it may be, and 1 KB in usual mail. */
export function storedCalendar(files: FileOfCalendar[]): StoredCalendar {
  let events = MAX_EVENTS
  let attendees = MAX_ATTENDEES
  const keep = (event: EventDetails): EventDetails[] => {
    if (events === 0) return []
    events -= 1
    const kept = event.attendees.slice(0, attendees)
    attendees -= kept.length
    return [{ ...event, attendees: kept }]
  }
  return { version: VERSION, files: files.map((file) => ({ ...file, events: file.events.flatMap(keep) })) }
}

/** Absent on mail that an older version stored, or that nobody has read yet. */
export function isCurrent(stored: StoredCalendar | undefined): stored is StoredCalendar {
  return stored?.version === VERSION
}

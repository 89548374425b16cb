import type { CalendarEvent } from '@family-inbox/proto/calendar/v1/calendar_change'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { calendarText } from './calendar/calendar-text.ts'
import { type CalendarLoss, parseCalendar } from './calendar/parse-calendar.ts'
import { MAX_EVENTS, readCalendar } from './calendar/read-calendar.ts'
import { type CalendarRequest, readRequests } from './calendar/read-requests.ts'
import { attachmentName, attachmentParts, attachmentType } from './mime/attachments.ts'
import { MAX_ATTACHMENTS } from './mime/limits.ts'
import { readMimeTree } from './mime/mime-tree.ts'
import { decodeTransfer } from './mime/transfer-encoding.ts'
import { previewKind } from './preview/preview-kind.ts'

/** Mail programs send the same event as text and as a file. */
const MAX_FILES = 5
/** Each is stored with a title and a place. */
const MAX_STARTS = 1000
/** Of these, a page shows each. */
const MAX_REQUESTS = 10

export type CalendarEvents = { events: CalendarEvent[]; losses: CalendarLoss[] }

/** The events in a mail's calendar parts and files, each once, and what could not be read. */
export function readCalendarFiles(raw: Uint8Array, receivedAt: Date): CalendarEvents {
  const files = calendarTexts(raw).map(parseCalendar)
  const events = files.flatMap((file) => readCalendar(file, receivedAt))
  const losses = new Set(files.flatMap((file) => file.losses))
  return { events: bound([...new Map(events.map((one) => [JSON.stringify(one), one])).values()]), losses: [...losses] }
}

/** What they invite to, each once. */
export function readRequestFiles(raw: Uint8Array, now: Date): CalendarRequest[] {
  const requests = calendarTexts(raw).flatMap((text) => readRequests(parseCalendar(text), now))
  return [...new Map(requests.map((one) => [one.id, one])).values()].slice(0, MAX_REQUESTS)
}

function calendarTexts(raw: Uint8Array): string[] {
  const texts = new Set<string>()
  for (const [index, part] of attachmentParts(readMimeTree(raw).root).slice(0, MAX_ATTACHMENTS).entries()) {
    const file = { contentType: attachmentType(part), filename: attachmentName(part, index), size: part.body.length }
    if (previewKind(file) !== PreviewKind.INVITATION) continue
    texts.add(calendarText(decodeTransfer(part.body, part.encoding), part.parameters.get('charset')))
    if (texts.size === MAX_FILES) break
  }
  return [...texts]
}

/** Over all files: the first events, with as many of their starts as fit. */
function bound(events: CalendarEvent[]): CalendarEvent[] {
  let left = MAX_STARTS
  return events.slice(0, MAX_EVENTS).flatMap((event) => {
    const starts = event.starts.slice(0, left)
    left -= starts.length
    return starts.length === 0 && event.starts.length > 0 ? [] : { ...event, starts }
  })
}

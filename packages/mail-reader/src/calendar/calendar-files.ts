import type { CalendarEvent } from '@family-inbox/proto/calendar/v1/calendar_change'
import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { attachmentName, attachmentParts, attachmentType, hashOf } from '../mime/attachments.ts'
import { beginsLikeCalendar } from '../mime/calendar-content.ts'
import { MAX_ATTACHMENTS } from '../mime/limits.ts'
import type { MimePart } from '../mime/mime-part.ts'
import { readMimeTree } from '../mime/mime-tree.ts'
import { decodeTransfer } from '../mime/transfer-encoding.ts'
import { previewKind } from '../preview/preview-kind.ts'
import { calendarText } from './calendar-text.ts'
import type { EventDetails, ReadEvent } from './event-details.ts'
import { type CalendarLoss, MAX_EVENTS, newSteps, readCalendar } from './read-calendar.ts'
import { type CalendarTask, MAX_TASKS } from './read-tasks.ts'
import { toCalendarEvent } from './to-change.ts'

/** Mail programs send the same event as text and as a file. */
const MAX_FILES = 5
/** Each is stored with a title and a place. */
const MAX_STARTS = 1000

/** A calendar file of a mail, without the occurrences of its events. */
export type FileOfCalendar = {
  /** The attachment’s hash. */ sha256: string
  events: EventDetails[]
  losses: CalendarLoss[]
  /** Absent without any, and in what an older version stored. */
  tasks?: CalendarTask[]
}

export type MailCalendar = {
  files: FileOfCalendar[]
  /** The events of all files, each once, with the occurrences that matter. */
  planned: CalendarEvent[]
}

/** Reads the calendar parts and files of a mail: the only reading of them, for all who show, plan or answer their events. */
export function readCalendarFiles(raw: Uint8Array, receivedAt: Date): MailCalendar {
  const found = attachmentParts(readMimeTree(raw).root).slice(0, MAX_ATTACHMENTS).flatMap(toSource)
  const texts = [...new Set(found.map(({ text }) => text))].slice(0, MAX_FILES)
  const steps = newSteps()
  const files = texts.map((text) => {
    const copies = found.filter((file) => file.text === text)
    const method = copies.find((copy) => copy.method !== undefined)?.method
    return { copies, ...readCalendar({ text, method }, receivedAt, steps) }
  })
  return {
    files: files.flatMap(({ copies, events, losses, tasks }) =>
      copies.map(({ sha256 }) => ({
        sha256,
        events: events.map(withoutStarts),
        losses,
        ...(tasks.length > 0 && { tasks: tasks.slice(0, MAX_TASKS) }),
      })),
    ),
    planned: plan(
      files.flatMap(({ events }) => events),
      receivedAt,
    ),
  }
}

type Source = { sha256: string; text: string; method: string | undefined }

function toSource(part: MimePart, index: number): Source[] {
  const content = decodeTransfer(part.body, part.encoding)
  const calendar = beginsLikeCalendar(content)
  const meta = { contentType: attachmentType(part), filename: attachmentName(part, index), size: content.length }
  if (previewKind({ ...meta, ...(calendar && { calendar }) }) !== PreviewKind.INVITATION) return []
  const text = calendarText(content, part.parameters.get('charset'))
  return [{ sha256: hashOf(content), text, method: part.parameters.get('method') }]
}

function withoutStarts({ starts: _starts, ...details }: ReadEvent): EventDetails {
  return details
}

/** Over all files: the first events, with as many of their starts as fit. */
function plan(events: ReadEvent[], receivedAt: Date): CalendarEvent[] {
  const planned = events.flatMap((event) => toCalendarEvent(event, receivedAt) ?? [])
  const different = [...new Map(planned.map((one) => [JSON.stringify(one), one])).values()]
  let left = MAX_STARTS
  return different.slice(0, MAX_EVENTS).flatMap((event) => {
    const starts = event.starts.slice(0, left)
    left -= starts.length
    return starts.length === 0 && event.starts.length > 0 ? [] : { ...event, starts }
  })
}

export function lossesOf(files: FileOfCalendar[]): CalendarLoss[] {
  return [...new Set(files.flatMap(({ losses }) => losses))]
}

import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import type { AttachmentMeta } from '../mime/attachments.ts'
import { isCalendarName } from '../mime/calendar-content.ts'

type Described = Pick<AttachmentMeta, 'contentType' | 'filename' | 'size' | 'calendar'>

/** Larger files are downloads only. Calendars with thousands of events are exports, not invitations. */
const MAX_BYTES: Record<string, number> = {
  [PreviewKind.PICTURE]: 15_000_000,
  [PreviewKind.PAGES]: 15_000_000,
  [PreviewKind.INVITATION]: 256 * 1024,
}

const BY_TYPE: [RegExp, PreviewKind][] = [
  [/^image\/(?:png|x-png|jpe?g|pjpeg|gif|webp)$/, PreviewKind.PICTURE],
  [/^application\/(?:x-)?pdf$/, PreviewKind.PAGES],
  [/^(?:text\/(?:x-v?)?calendar|(?:text|application)\/(?:x-)?(?:ics|vcs|icalendar))$/, PreviewKind.INVITATION],
]

/** Mail programs often send files they do not know as plain bytes. */
const UNKNOWN_TYPE = /^application\/(?:octet-stream|force-download|download)$/
const BY_NAME: [RegExp, PreviewKind][] = [
  [/\.(?:png|jpe?g|gif|webp)$/i, PreviewKind.PICTURE],
  [/\.pdf$/i, PreviewKind.PAGES],
]

/** The preview that an attachment can have, by its description alone. */
export function previewKind(file: Described): PreviewKind {
  const kind = kindOf(file)
  return file.size > 0 && file.size <= (MAX_BYTES[kind] ?? 0) ? kind : PreviewKind.UNSPECIFIED
}

/** Whether it has pages with text. */
export function hasPages(file: Described): boolean {
  return previewKind(file) === PreviewKind.PAGES
}

/** Calendars come with any type, so their name and first bytes count, too. */
function kindOf({ contentType, filename, calendar }: Described): PreviewKind {
  const [rules, text] = UNKNOWN_TYPE.test(contentType) ? [BY_NAME, filename] : [BY_TYPE, contentType.toLowerCase()]
  const kind = rules.find(([pattern]) => pattern.test(text))?.[1]
  return kind ?? (calendar || isCalendarName(filename) ? PreviewKind.INVITATION : PreviewKind.UNSPECIFIED)
}

import { move, transferableSymbol, valueSymbol } from 'piscina'
import { readCalendarFiles } from './calendar/calendar-files.ts'
import { type InlinePicture, type SafeMarkup, safeMarkup } from './markup/safe-markup.ts'
import {
  type AttachmentContent,
  type AttachmentKey,
  attachmentParts,
  attachmentType,
  readAttachment,
  readAttachments,
} from './mime/attachments.ts'
import { rawField } from './mime/header-fields.ts'
import { MAX_ATTACHMENTS } from './mime/limits.ts'
import type { MimePart } from './mime/mime-part.ts'
import { readMimeTree } from './mime/mime-tree.ts'
import { decodeTransfer } from './mime/transfer-encoding.ts'
import { composeHtml } from './text/message-text.ts'

/** A result, and the milliseconds it took. */
export type Opened = { result: unknown; ms: number }

export type OpenTask = { raw: Uint8Array<ArrayBuffer> } & (
  | { wanted: 'markup' }
  | { wanted: 'file'; key: AttachmentKey }
  | { wanted: 'files' }
  | { wanted: 'calendar'; receivedAt: Date }
)

/** Smaller buffers may be pieces of a shared one, which cannot be moved. */
const MIN_MOVED_BYTES = 64 * 1024

/** Runs in a worker thread and tells how long it took. Large contents are moved to the other thread instead of copied. */
export function openMail(task: OpenTask): unknown {
  const startedAt = performance.now()
  const { result, files } = open(task)
  const buffers = files.flatMap(({ content }) => (content.length > MIN_MOVED_BYTES ? [content.buffer] : []))
  return move({ [valueSymbol]: { result, ms: performance.now() - startedAt }, [transferableSymbol]: buffers })
}

function open(task: OpenTask): { result: unknown; files: AttachmentContent[] } {
  if (task.wanted === 'markup') return { result: renderMarkup(task.raw), files: [] }
  if (task.wanted === 'calendar') return { result: readCalendarFiles(task.raw, task.receivedAt), files: [] }
  if (task.wanted === 'files') {
    const files = readAttachments(task.raw)
    return { result: files, files }
  }
  const file = readAttachment(task.raw, task.key)
  return { result: file, files: file ? [file] : [] }
}

function renderMarkup(raw: Uint8Array): SafeMarkup | undefined {
  const { root } = readMimeTree(raw)
  const markup = composeHtml(root)
  return markup === undefined ? undefined : safeMarkup(markup, pictures(root))
}

function pictures(root: MimePart): InlinePicture[] {
  return attachmentParts(root)
    .slice(0, MAX_ATTACHMENTS)
    .flatMap((part) => {
      const contentId = (rawField(part.fields, 'content-id') ?? '').trim().replace(/^<|>$/g, '')
      if (contentId === '' || !part.type.startsWith('image/')) return []
      return { contentId, contentType: attachmentType(part), content: decodeTransfer(part.body, part.encoding) }
    })
}

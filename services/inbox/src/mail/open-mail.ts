import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type InlinePicture, type SafeMarkup, safeMarkup } from '../markup/safe-markup.ts'
import {
  type AttachmentContent,
  attachmentParts,
  attachmentType,
  readAttachment,
  readAttachments,
} from './attachments.ts'
import { rawField } from './header-fields.ts'
import { MAX_ATTACHMENTS } from './limits.ts'
import type { OpenTask } from './mail-opener.ts'
import { composeHtml } from './message-text.ts'
import type { MimePart } from './mime-part.ts'
import { readMimeTree } from './mime-tree.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** Smaller buffers may be pieces of a shared one, which cannot be moved. */
const MIN_MOVED_BYTES = 64 * 1024

/** Runs in a worker thread. */
export function openMail(task: OpenTask): unknown {
  if (task.wanted === 'markup') return renderMarkup(task.raw)
  if (task.wanted === 'files') return moved(readAttachments(task.raw))
  const file = readAttachment(task.raw, task.index)
  return file && moved([file], file)
}

/** Large contents are moved to the other thread instead of copied. */
function moved(files: AttachmentContent[], result: object = files): unknown {
  const buffers = files.flatMap(({ content }) => (content.length > MIN_MOVED_BYTES ? [content.buffer] : []))
  return move({ [valueSymbol]: result, [transferableSymbol]: buffers })
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

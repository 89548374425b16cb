import { parentPort } from 'node:worker_threads'
import { type InlinePicture, type SafeMarkup, safeMarkup } from '../markup/safe-markup.ts'
import { attachmentParts, attachmentType, readAttachment, readAttachments } from './attachments.ts'
import { rawField } from './header-fields.ts'
import { MAX_ATTACHMENTS } from './limits.ts'
import type { OpenTask } from './mail-opener.ts'
import { composeHtml } from './message-text.ts'
import type { MimePart } from './mime-part.ts'
import { readMimeTree } from './mime-tree.ts'
import { decodeTransfer } from './transfer-encoding.ts'

parentPort?.on('message', (task: OpenTask) => parentPort?.postMessage(open(task)))

function open(task: OpenTask) {
  if (task.wanted === 'markup') return renderMarkup(task.raw)
  return task.wanted === 'file' ? readAttachment(task.raw, task.index) : readAttachments(task.raw)
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

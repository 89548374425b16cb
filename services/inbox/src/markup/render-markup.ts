import { attachmentParts, attachmentType } from '../mail/attachments.ts'
import { rawField } from '../mail/header-fields.ts'
import { MAX_ATTACHMENTS } from '../mail/limits.ts'
import { composeHtml } from '../mail/message-text.ts'
import type { MimePart } from '../mail/mime-part.ts'
import { readMimeTree } from '../mail/mime-tree.ts'
import { decodeTransfer } from '../mail/transfer-encoding.ts'
import { type InlinePicture, type SafeMarkup, safeMarkup } from './safe-markup.ts'

export function renderMarkup(raw: Uint8Array): SafeMarkup | undefined {
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

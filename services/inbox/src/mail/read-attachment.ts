import { attachmentName, attachmentParts, attachmentType } from './attachments.ts'
import { readMimeTree } from './mime-tree.ts'
import { decodeTransfer } from './transfer-encoding.ts'

export type AttachmentContent = { filename: string; contentType: string; content: Uint8Array }

/**
 * Reads one attachment out of the original mail.
 * @param index as in `AttachmentMeta`
 * @returns undefined when there is none at that index
 */
export async function readAttachment(raw: Uint8Array, index: number): Promise<AttachmentContent | undefined> {
  const part = attachmentParts(readMimeTree(raw).root)[index]
  if (!part) return undefined
  return {
    filename: attachmentName(part, index),
    contentType: attachmentType(part),
    content: decodeTransfer(part.body, part.encoding),
  }
}

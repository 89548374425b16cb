import { describeAttachments } from './attachments.ts'
import { autoSubmittedKeyword, isAutomated } from './automated-mail.ts'
import { categorize } from './category.ts'
import { findForwardedOriginal } from './forwarded-original.ts'
import { findForwardingConfirmation } from './forwarding-confirmation.ts'
import { loadHtmlConverter } from './html-text.ts'
import { readMailReport } from './mail-report.ts'
import { readMessageFields } from './message-fields.ts'
import { type ComposedText, composeHtml, composeText, isCalendar, previewOf } from './message-text.ts'
import { leaves } from './mime-part.ts'
import { type MimeTree, readMimeTree } from './mime-tree.ts'
import type { ParsedMessage } from './parsed-message.ts'

export type Envelope = {
  /** `MAIL FROM:<>`, as in bounces and automatic replies. */
  nullReturnPath?: boolean
}

/**
 * Reads a mail (RFC 5322, MIME). Any bytes are valid input: broken parts are empty, oversized ones omitted. Parse
 * untrusted mail through `createMessageParser`, which also limits time.
 */
export async function parseMessage(raw: Uint8Array, envelope: Envelope = {}): Promise<ParsedMessage> {
  const tree = readMimeTree(raw)
  const body = composeText(tree.root) ?? composeText(tree.root, await loadHtmlConverter())
  return describeMessage(tree, body, envelope)
}

/** Like `parseMessage` but synchronous; undefined if the text must be converted from HTML. */
export function parsePlainMessage(raw: Uint8Array, envelope: Envelope = {}): ParsedMessage | undefined {
  const tree = readMimeTree(raw)
  const body = composeText(tree.root)
  return body && describeMessage(tree, body, envelope)
}

function describeMessage({ root, truncated }: MimeTree, body: ComposedText, envelope: Envelope): ParsedMessage {
  const files = describeAttachments(root)
  const fields = readMessageFields(root.fields)
  const automated = isAutomated(root.fields, envelope.nullReturnPath)
  const report = readMailReport(root)
  const invitation = leaves(root).some(isCalendar)
  const forwardingConfirmation = findForwardingConfirmation(fields.from.address, fields.subject, body.text)
  return {
    ...fields,
    ...findForwardedOriginal(root, fields.subject, body.text),
    text: body.text,
    preview: previewOf(body.text),
    html: composeHtml(root),
    attachments: files.attachments,
    truncated: truncated || body.truncated || files.truncated,
    unreadable: false,
    automated,
    autoSubmitted: autoSubmittedKeyword(root.fields),
    forwardingConfirmation,
    ...(report && { report }),
    category: forwardingConfirmation
      ? 'automated'
      : categorize({ subject: fields.subject, text: body.text, automated, invitation }),
  }
}

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

/** What the SMTP envelope tells beside the mail itself. */
export type Envelope = {
  /** `MAIL FROM:<>`, as bounces and automatic answers have it. */
  nullReturnPath?: boolean
}

/**
 * Reads a mail (RFC 5322, MIME) into what the inbox shows of it. Any bytes are a mail: what is missing or broken is left
 * empty, what exceeds limits.ts is left out. Untrusted mail goes through `createMessageParser`, which bounds the time too.
 */
export async function parseMessage(raw: Uint8Array, envelope: Envelope = {}): Promise<ParsedMessage> {
  const tree = readMimeTree(raw)
  const body = composeText(tree.root) ?? composeText(tree.root, await loadHtmlConverter())
  return describeMessage(tree, body, envelope)
}

/** As `parseMessage`, but at once; undefined for a mail whose text has to be made from HTML. */
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

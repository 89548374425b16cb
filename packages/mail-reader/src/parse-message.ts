import { describeAttachments } from './mime/attachments.ts'
import { readForward } from './mime/forwarded-original.ts'
import { type HeaderField, readHeaderFields } from './mime/header-fields.ts'
import { readMailReport } from './mime/mail-report.ts'
import { autoSubmittedKeyword, isAutomated, type MessageFields, readMessageFields } from './mime/message-fields.ts'
import { leaves } from './mime/mime-part.ts'
import { type MimeTree, readMimeTree } from './mime/mime-tree.ts'
import type { ParsedMessage } from './parsed-message.ts'
import { categorize } from './text/category.ts'
import { findForwardingConfirmation } from './text/forwarding-confirmation.ts'
import { loadHtmlConverter } from './text/html-text.ts'
import {
  type ComposedText,
  composeHtml,
  composeText,
  isCalendar,
  isCalendarRequest,
  previewOf,
} from './text/message-text.ts'
import { charsetOfText } from './text/render-body.ts'
import { findSensitiveAsks } from './text/sensitive-asks.ts'

export type ParseHints = {
  nullReturnPath?: boolean
}

/** Any bytes are valid input. Parse untrusted mail through `createMessageParser`, which also limits time. */
export async function parseMessage(raw: Uint8Array, hints: ParseHints = {}): Promise<ParsedMessage> {
  const tree = readMimeTree(raw)
  const body = composeText(tree.root) ?? composeText(tree.root, await loadHtmlConverter())
  return describeMessage(tree, body, hints)
}

export type ParseTask = { raw: Uint8Array; hints: ParseHints }

export function runParseTask({ raw, hints }: ParseTask): Promise<ParsedMessage> {
  return parseMessage(raw, hints)
}

/** Like `parseMessage` but synchronous; undefined if the text must be converted from HTML. */
export function parsePlainMessage(raw: Uint8Array, hints: ParseHints = {}): ParsedMessage | undefined {
  const tree = readMimeTree(raw)
  const body = composeText(tree.root)
  return body && describeMessage(tree, body, hints)
}

function describeMessage({ root, truncated }: MimeTree, body: ComposedText, hints: ParseHints): ParsedMessage {
  const html = composeHtml(root)
  const files = describeAttachments(root, html)
  const fields = readMessageFields(root.fields, charsetOfText(root))
  const automated = isAutomated(root.fields, hints.nullReturnPath)
  const report = readMailReport(root)
  const forward = readForward(root, fields.subject, body.text)
  const calendars = leaves(root).filter(isCalendar)
  const asksFor = findSensitiveAsks(fields.subject, body.text)
  const forwardingConfirmation = findForwardingConfirmation(fields.from.address, fields.subject, body.text)
  return {
    ...fields,
    ...forward.original,
    text: body.text,
    ...(body.isConverted && { textConverted: true as const }),
    preview: previewOf(forward.news),
    html,
    attachments: files.attachments,
    truncated: truncated || body.truncated || files.truncated,
    unreadable: false,
    automated,
    autoSubmitted: autoSubmittedKeyword(root.fields),
    forwardingConfirmation,
    ...(report && { report }),
    ...(asksFor.length > 0 && { asksFor }),
    category: categoryOf({
      forwardingConfirmation,
      isRequest: calendars.some(isCalendarRequest),
      facts: { subject: fields.subject, text: body.text, automated, invitation: calendars.length > 0 },
    }),
  }
}

type CategoryFacts = {
  forwardingConfirmation: ParsedMessage['forwardingConfirmation']
  isRequest: boolean
  facts: Parameters<typeof categorize>[0]
}

function categoryOf({ forwardingConfirmation, isRequest, facts }: CategoryFacts): ParsedMessage['category'] {
  if (forwardingConfirmation) return 'automated'
  return isRequest ? 'appointment' : categorize(facts)
}

const MAX_HEADER_BYTES = 64 * 1024
const TEXT = 'This message could not be displayed. The original is kept.'
const NO_FIELDS: MessageFields = {
  references: [],
  subject: '',
  from: { name: '', address: '' },
  to: [],
  receivedHops: 0,
}

/** Builds the message shown for a mail that cannot be parsed, with as much of the header as is readable. */
export function fallbackMessage(raw: Uint8Array): ParsedMessage {
  const { fields, message } = readHeader(raw)
  return {
    ...message,
    text: TEXT,
    preview: TEXT,
    attachments: [],
    truncated: true,
    unreadable: true,
    automated: isAutomated(fields),
    category: 'other',
  }
}

function readHeader(raw: Uint8Array): { fields: HeaderField[]; message: MessageFields } {
  try {
    const { fields } = readHeaderFields(Buffer.from(raw.subarray(0, MAX_HEADER_BYTES)), 0, () => false)
    return { fields, message: readMessageFields(fields) }
  } catch {
    return { fields: [], message: NO_FIELDS } // the last resort must never throw
  }
}

import { isAutomated } from './automated-mail.ts'
import { type HeaderField, readHeaderFields } from './header-fields.ts'
import { type MessageFields, readMessageFields } from './message-fields.ts'
import type { ParsedMessage } from './parsed-message.ts'

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

import type { Category } from './category.ts'
import type { ForwardingConfirmation } from './forwarding-confirmation.ts'
import type { MailReport } from './mail-report.ts'

export type Mailbox = { name: string; address: string }

/** What is kept about an attachment beside the original; its bytes come from `readAttachment`. */
export type AttachmentMeta = {
  /** Position among all attachments of the mail, the key for `readAttachment`. */
  index: number
  filename: string
  contentType: string
  /** Decoded bytes. */
  size: number
  /** Meant to be shown inside the message, such as a picture in its HTML. */
  inline: boolean
  contentId?: string
  /** SHA-256 of the decoded bytes, hex. */
  sha256: string
}

/** A mail as the inbox shows it. Every string is free of control, bidi-override and hidden characters. */
export type ParsedMessage = {
  /** With its angle brackets, as In-Reply-To of an answer needs it. */
  messageId?: string
  inReplyTo?: string
  references: string[]
  subject: string
  /** Both empty when the mail names no sender. */
  from: Mailbox
  replyTo?: Mailbox
  /** Who wrote the original, when this mail is a forward. */
  originalSender?: Mailbox
  /** Where its author wants answers, when the forward still tells. */
  originalReplyTo?: Mailbox
  to: Mailbox[]
  /** The Date header, when it is one. */
  sentAt?: Date
  /** Readable plaintext, at most MAX_TEXT_CHARS. */
  text: string
  /** At most 280 characters, on one line. */
  preview: string
  /** As sent, unsafe: only for a sandboxed view. At most MAX_HTML_CHARS. */
  html?: string
  attachments: AttachmentMeta[]
  /** Text or attachments were left out because the mail exceeds a bound of limits.ts. */
  truncated: boolean
  /** The mail could not be parsed: only its headers were read and `text` says so. */
  unreadable: boolean
  /** Sent by a machine (RFC 3834, list and bulk mail, bounces). */
  automated: boolean
  /** The Auto-Submitted keyword in lower case. */
  autoSubmitted?: string
  /** Number of Received fields, to stop loops (RFC 5321 6.3). */
  receivedHops: number
  forwardingConfirmation?: ForwardingConfirmation
  /** What it reports about a mail that was sent. */
  report?: MailReport
  category: Category
}

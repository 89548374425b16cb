import type { Category } from './category.ts'
import type { ForwardingConfirmation } from './forwarding-confirmation.ts'
import type { MailReport } from './mail-report.ts'

export type Mailbox = { name: string; address: string }

export type AttachmentMeta = {
  /** Position among all attachments of the mail. */
  index: number
  filename: string
  contentType: string
  /** Decoded bytes. */
  size: number
  /** Meant for display inside the message, such as an image in its HTML. */
  inline: boolean
  contentId?: string
  /** Of the decoded bytes, hex. */
  sha256: string
}

/** Every string is free of control, bidi-override and hidden characters. */
export type ParsedMessage = {
  /** With angle brackets, as In-Reply-To needs it. */
  messageId?: string
  inReplyTo?: string
  references: string[]
  subject: string
  /** Both empty if the mail names no sender. */
  from: Mailbox
  replyTo?: Mailbox
  /** The author, if this mail is a forward. */
  originalSender?: Mailbox
  originalReplyTo?: Mailbox
  to: Mailbox[]
  sentAt?: Date
  /** At most MAX_TEXT_CHARS. */
  text: string
  /** At most 280 characters, on one line. */
  preview: string
  /** Unsafe, for a sandboxed view only. At most MAX_HTML_CHARS. */
  html?: string
  attachments: AttachmentMeta[]
  /** Text or attachments were omitted because of limits.ts. */
  truncated: boolean
  /** Only the headers could be read; `text` says so. */
  unreadable: boolean
  /** RFC 3834, list and bulk mail, bounces. */
  automated: boolean
  autoSubmitted?: string
  /** Number of Received fields, to stop loops (RFC 5321 6.3). */
  receivedHops: number
  forwardingConfirmation?: ForwardingConfirmation
  report?: MailReport
  category: Category
}

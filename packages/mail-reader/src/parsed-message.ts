import type { AttachmentMeta } from './mime/attachments.ts'
import type { MailReport } from './mime/mail-report.ts'
import type { Mailbox, ReplyTo } from './mime/message-fields.ts'
import type { Category } from './text/category.ts'
import type { ForwardingConfirmation } from './text/forwarding-confirmation.ts'

/** Every string is free of control, bidi-override and hidden characters. */
export type ParsedMessage = {
  /** With angle brackets, as In-Reply-To needs it. */
  messageId?: string
  inReplyTo?: string
  references: string[]
  subject: string
  /** Both empty if the mail names no sender. */
  from: Mailbox
  replyTo?: ReplyTo
  originalSender?: Mailbox
  originalReplyTo?: ReplyTo
  /** Forwarded by hand, as its subject or its text says, or as a file. */
  forwarded?: true
  /** Who wrote the mail according to X-Original-From, which anyone can add. */
  listAuthor?: Mailbox
  to: Mailbox[]
  sentAt?: Date
  text: string
  /** From HTML: the plain part is missing or says nothing, so the original layout reads better. */
  textConverted?: true
  preview: string
  /** Unsafe, for a sandboxed view only. At most MAX_HTML_CHARS. */
  html?: string
  attachments: AttachmentMeta[]
  /** Text or attachments were omitted because of limits.ts. */
  truncated: boolean
  /** Only the headers could be read; `text` says so. */
  unreadable: boolean
  automated: boolean
  autoSubmitted?: string
  /** Number of Received fields, to stop loops (RFC 5321 6.3). */
  receivedHops: number
  forwardingConfirmation?: ForwardingConfirmation
  report?: MailReport
  category: Category
}

import type { AttachmentMeta } from './mime/attachments.ts'
import type { ForwardedOriginal } from './mime/forwarded-original.ts'
import type { MailReport } from './mime/mail-report.ts'
import type { MessageFields } from './mime/message-fields.ts'
import type { Category } from './text/category.ts'
import type { ForwardingConfirmation } from './text/forwarding-confirmation.ts'
import type { SensitiveAsk } from './text/sensitive-asks.ts'

/** Every string is free of control, bidi-override and hidden characters. */
export type ParsedMessage = MessageFields &
  ForwardedOriginal & {
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
    forwardingConfirmation?: ForwardingConfirmation
    report?: MailReport
    category: Category
    /** Absent if there is nothing. */
    asksFor?: SensitiveAsk[]
  }

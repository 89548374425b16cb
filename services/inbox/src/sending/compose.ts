import { createHash, createHmac } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { escapeHtml } from '@family-inbox/service-kit/text/escape-html'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { SendMailOptions } from 'nodemailer'
import type { Config } from '../config.ts'

/** Exchange answers with absences unless the second asks it not to. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
/** RFC 6047 section 2.4. */
const CALENDAR_REPLY = 'text/calendar; charset=utf-8; method=REPLY; component=VEVENT'
const BODY = 'margin:0;padding:24px;background:#faf8f4;color:#1d2327;font:16px/1.5 system-ui,sans-serif;max-width:36em'
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:10px;background:#0b5f59;color:#ffffff;text-decoration:none'

/** The fields that stay the same at every attempt. `returnPath` is where reports about it go (RFC 5321 4.4). */
type Sending = { senderAddress: string; messageId: string; returnPath: string; queuedAt: Date }

type Composed = SendMailOptions & { baseBoundary: string }

/** Only mail from a person lacks Auto-Submitted (RFC 3834 5). */
export function composeMail(mail: OutgoingMail, sending: Sending): Composed {
  return {
    envelope: { from: sending.returnPath, to: [mail.toAddress] },
    from: { name: mail.fromName || PRODUCT, address: sending.senderAddress },
    to: { name: mail.toName, address: mail.shared?.toAddress ?? mail.toAddress },
    ...(mail.shared && { cc: mail.shared.ccAddresses }),
    ...(mail.replyTo !== '' && { replyTo: mail.replyTo }),
    subject: mail.subject,
    text: textPart(mail),
    html: htmlPart(mail),
    ...(mail.calendarReply && { alternatives: [{ contentType: CALENDAR_REPLY, content: mail.calendarReply }] }),
    date: sending.queuedAt,
    messageId: sending.messageId,
    baseBoundary: boundaryFor(sending.messageId),
    ...(mail.inReplyTo !== '' && { inReplyTo: mail.inReplyTo, references: mail.references }),
    headers: { ...(mail.kind !== MailKind.REPLY && AUTOMATIC), ...unsubscribeHeaders(mail) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The same at every attempt, as everything else is. */
function boundaryFor(messageId: string): string {
  return createHash('sha256').update(messageId).digest('hex').slice(0, 32)
}

/** One-click unsubscribe (RFC 8058). */
function unsubscribeHeaders({ unsubscribeUrl }: OutgoingMail): Record<string, string> {
  if (!unsubscribeUrl) return {}
  return { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** The Message-ID header of a mail. Keyed, because pages, downloads and tools show the ids of mail. */
export function messageIdHeaderFor(
  id: string,
  { mailIdKey, mailDomain }: Pick<Config, 'mailIdKey' | 'mailDomain'>,
): string {
  return `<${createHmac('sha256', mailIdKey).update(id).digest('hex').slice(0, 40)}@${mailDomain}>`
}

const OWN_ID = /^<[0-9a-f]{40}@/

/** Whether a mail is ours, or says so. */
export function isOwnMessageId(id: string | undefined, { mailDomain }: Pick<Config, 'mailDomain'>): boolean {
  return id !== undefined && OWN_ID.test(id) && id.endsWith(`@${mailDomain}>`)
}

function textPart({ text, actionLabel, actionUrl }: OutgoingMail): string {
  return actionUrl === '' ? text : `${text}\n\n${actionLabel}:\n${actionUrl}\n`
}

function htmlPart({ text, actionLabel, actionUrl }: Pick<OutgoingMail, 'text' | 'actionLabel' | 'actionUrl'>): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
  const action =
    actionUrl === ''
      ? []
      : [`<p><a href="${escapeHtml(actionUrl)}" style="${BUTTON}">${escapeHtml(actionLabel)}</a></p>`]
  return `<!doctype html><html lang="en"><body style="${BODY}">${[...paragraphs, ...action].join('\n')}</body></html>`
}

import { createHash } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { escapeHtml } from '@family-inbox/service-kit/text/escape-html'
import type { SendMailOptions } from 'nodemailer'

const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' }
/** RFC 6047 section 2.4. */
const CALENDAR_REPLY = 'text/calendar; charset=utf-8; method=REPLY; component=VEVENT'
const BODY = 'margin:0;padding:24px;background:#faf8f4;color:#1d2327;font:16px/1.5 system-ui,sans-serif;max-width:36em'
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:10px;background:#0b5f59;color:#ffffff;text-decoration:none'

type Sender = { address: string; domain: string }

/** The same mail at every attempt (Message-ID, Date). Only mail from a person lacks Auto-Submitted (RFC 3834 5). */
export function composeMail(mail: OutgoingMail, sender: Sender, queuedAt: Date): SendMailOptions {
  return {
    from: { name: mail.fromName || 'Family Care Inbox', address: sender.address },
    to: { name: mail.toName, address: mail.toAddress },
    ...(mail.replyTo !== '' && { replyTo: mail.replyTo }),
    subject: mail.subject,
    text: textPart(mail),
    html: htmlPart(mail),
    ...(mail.calendarReply && { alternatives: [{ contentType: CALENDAR_REPLY, content: mail.calendarReply }] }),
    date: queuedAt,
    messageId: messageIdOf(mail.id, sender.domain),
    ...(mail.inReplyTo !== '' && { inReplyTo: mail.inReplyTo, references: mail.references }),
    headers: { ...(mail.kind !== MailKind.REPLY && AUTOMATIC), ...unsubscribeHeaders(mail) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** One-click unsubscribe (RFC 8058). */
function unsubscribeHeaders({ unsubscribeUrl }: OutgoingMail): Record<string, string> {
  if (!unsubscribeUrl) return {}
  return { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

export function messageIdOf(id: string, domain: string): string {
  return `<${createHash('sha256').update(id).digest('hex').slice(0, 40)}@${domain}>`
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

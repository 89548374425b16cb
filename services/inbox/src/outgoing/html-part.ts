import type { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'

/** The HTML twin of a mail's text: paragraphs, and its one link as a button. Everything in it is escaped. */
export function htmlPart({
  text,
  actionLabel,
  actionUrl,
}: Pick<OutgoingMail, 'text' | 'actionLabel' | 'actionUrl'>): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
  const action =
    actionUrl === ''
      ? []
      : [`<p><a href="${escapeHtml(actionUrl)}" style="${BUTTON}">${escapeHtml(actionLabel)}</a></p>`]
  return `<!doctype html><html lang="en"><body style="${BODY}">${[...paragraphs, ...action].join('\n')}</body></html>`
}

const BODY = 'margin:0;padding:24px;background:#faf8f4;color:#1d2327;font:16px/1.5 system-ui,sans-serif;max-width:36em'
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:10px;background:#0b5f59;color:#ffffff;text-decoration:none'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

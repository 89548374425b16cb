import { type Html, html } from '../shell/html.ts'
import { withQuery } from '../shell/parts.ts'
import { linkedText } from './linked-text.ts'
import type { OpenMessage } from './read-message.ts'
import { isVerified } from './sender.ts'

/**
 * The original layout first if the mail has no plain text of its own, else the text first.
 * @param hasLinks false if addresses in it are text
 */
export function letter(open: OpenMessage, hasLinks: boolean): Html {
  const { bodyTruncated, hasMarkup, showLayoutFirst } = open.message
  const text = html`${textOf(open, hasLinks && !isUnverifiedRequest(open))}
${bodyTruncated && html`<p class="hint">This message is too long to show in full.</p>`}`
  if (!hasMarkup || isUnverifiedRequest(open)) return text
  if (showLayoutFirst)
    return html`<div class="original-layout">${originalLayout(open, hasLinks)}</div>
<details class="as-text linked"><summary>Show as text</summary>${text}</details>`
  return html`${text}
<details class="original-layout linked"><summary>Show original layout</summary>${originalLayout(open, hasLinks)}</details>`
}

/** No links in an unverified forwarding request: a forged link could give away someone's mailbox. */
function isUnverifiedRequest({ message }: OpenMessage): boolean {
  return message.forwardingConfirmation !== undefined && !isVerified(message.message)
}

/** What it quotes below its own words is folded. */
function textOf(open: OpenMessage, hasLinks: boolean): Html {
  const { body, quoteStart } = open.message
  const shown = (text: string) => (hasLinks ? linkedText(text) : text)
  const own = html`<div class="body" dir="auto">${shown(body.slice(0, quoteStart).trimEnd())}</div>`
  if (quoteStart === undefined) return own
  return html`${own}
<details class="quoted linked"><summary>Show quoted text</summary><div class="body" dir="auto">${shown(body.slice(quoteStart))}</div></details>`
}

function originalLayout({ lovedOne, message }: OpenMessage, hasLinks: boolean): Html {
  const sandbox = hasLinks ? 'allow-same-origin allow-popups allow-popups-to-escape-sandbox' : 'allow-same-origin'
  const path = withQuery(`/inbox/${lovedOne.id}/${message.message.id}/original`, { links: hasLinks ? '' : 'text' })
  return html`<p class="hint">Images are blocked so senders can’t tell you opened this.</p>
<iframe sandbox="${sandbox}" loading="lazy" referrerpolicy="no-referrer" src="${path}" title="Original layout"></iframe>`
}

import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { isAuthentic } from '../../inbox/authenticity.ts'
import { linkedText } from '../../inbox/linked-text.ts'
import { listHref } from '../../inbox/list-query.ts'
import type { MailList } from '../../inbox/read-list.ts'
import type { OpenMessage } from '../../inbox/read-message.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import type { FieldErrors } from '../../parts/field.ts'
import { attachmentList } from './attachment-list.ts'
import { conversation } from './conversation.ts'
import { forwardingRequest } from './forwarding-request.ts'
import { inboxRoom } from './inbox.ts'
import { listPane } from './list-pane.ts'
import { messageFacts } from './message-facts.ts'
import { messageTools } from './message-tools.ts'
import { replyBox } from './reply-box.ts'

export type ReplyForm = { body: string; idempotencyKey: string; errors: FieldErrors }

export type OpenMessageData = { list: MailList; open: OpenMessage; clock: ReaderClock; form: ReplyForm }

/** One message: what it says, what came with it, what the family did, and the way to answer. */
export function openMessagePage(data: OpenMessageData): Page {
  const { list, open, clock, form } = data
  const { message } = open.message
  return roomPage(inboxRoom(list), {
    title: message.subject || 'No subject',
    isWide: true,
    hasErrors: Object.keys(form.errors).length > 0,
    main: html`<div class="panes is-open">
<article class="pane message" id="message" data-title="${message.subject || 'No subject'}">
<p class="up"><a href="${listHref(list.query)}">Back to the inbox</a></p>
${errorSummary(form.errors)}
<h1 tabindex="-1"><bdi>${message.subject || 'No subject'}</bdi></h1>
${messageFacts(data)}
${forwardingRequest(open)}
<div class="body" dir="auto">${bodyOf(open)}</div>
${open.message.bodyTruncated && html`<p class="hint">This message is longer than what can be shown here.</p>`}
${asDesigned(open)}
${attachmentList(open)}
${conversation(data)}
${replyBox(data)}
${messageTools(data)}
</article>
${listPane({ list, clock, heading: 'h2', openId: message.id })}
</div>`,
  })
}

/** A provider's request that nothing vouches for has no links: those of a fake lead to where somebody gives their mailbox away. */
function bodyOf(open: OpenMessage): Html | string {
  return isDoubtfulRequest(open) ? open.message.body : linkedText(open.message.body)
}

function isDoubtfulRequest({ message }: OpenMessage): boolean {
  return message.forwardingConfirmation !== undefined && !isAuthentic(message.authenticity)
}

/** The mail's own looks, in a frame in which nothing runs and nothing is fetched; loaded when it is opened. */
function asDesigned(open: OpenMessage): Html | undefined {
  const { lovedOne, message } = open
  if (!message.hasMarkup || isDoubtfulRequest(open)) return undefined
  return html`<details class="designed linked">
<summary>Show it as it was designed</summary>
<p class="hint">Pictures from other places are left out, so that nobody learns that you read this.</p>
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy" referrerpolicy="no-referrer" src="/inbox/${lovedOne.id}/${message.message.id}/designed" title="The message as it was designed"></iframe>
</details>`
}

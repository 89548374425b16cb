import type { InboxEntry, MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { categoryWords } from '../../inbox/category-words.ts'
import { messageHref } from '../../inbox/list-query.ts'
import { originalOf } from '../../inbox/original.ts'
import type { MailList } from '../../inbox/read-list.ts'
import { senderName } from '../../inbox/sender-name.ts'
import { clip } from '../../parts/clip.ts'
import { initialsBadge } from '../../parts/initials.ts'
import { dayOf, daysBetween, timeOf } from '../../parts/moment.ts'

export type MailRow = { entry: InboxEntry; list: MailList; clock: ReaderClock; isOpen: boolean }

/** One message in the list: who sent it, what about, how it begins, when, and what kind it is. */
export function mailRow({ entry, list, clock, isOpen }: MailRow): Html {
  const { message, lovedOneId, unread } = entry
  if (message === undefined) return html``
  const { id, subject, preview, receivedAt, sender } = message
  const lovedOne = list.household.lovedOnes.find((one) => one.id === lovedOneId)
  const isMixed = list.query.lovedOne === undefined && list.household.lovedOnes.length > 1
  return html`<li class="mail${unread && ' unread'}${isOpen && ' open'}" data-id="${id}">
${isMixed && lovedOne && initialsBadge(lovedOne.name, lovedOne.position)}
<div class="lines">
<p class="from">${unread && html`<span class="dot" aria-hidden="true"></span><span class="unseen">Unread. </span>`}<bdi>${senderName(sender)}</bdi></p>
<p class="at">${receivedAt && (daysBetween(receivedAt, clock.now, clock) < 2 ? timeOf(receivedAt, clock) : dayOf(receivedAt, clock))}</p>
<p class="subject"><a href="${messageHref(list.query, lovedOneId, id)}"${isOpen && html` aria-current="true"`}><bdi>${subject || 'No subject'}</bdi></a></p>
<p class="preview"><bdi>${preview}</bdi></p>
<p class="kind">${isMixed && lovedOne && html`<span class="unseen">For <bdi>${lovedOne.name}</bdi>. </span>`}${kindOf(entry)}${writtenBy(message)}</p>
</div>
</li>\n`
}

/** Who wrote what a member forwarded. What any other mail says about that is not shown here. */
function writtenBy(message: MessageSummary): Html | undefined {
  const original = originalOf(message)
  return original?.isVerified
    ? html` <span>forwarded, written by <bdi>${senderName(original.writer)}</bdi></span>`
    : undefined
}

function kindOf({ message, replied, forwardingConfirmation }: InboxEntry): Html {
  const files = message?.attachmentCount ?? 0
  const category = message && categoryWords(message.category)
  return html`<span>${forwardingConfirmation ? html`<strong>Forwarding request</strong>` : category?.label}</span>${
    files > 0 && html` <span>${clip()}${files === 1 ? '1 file' : `${files} files`}</span>`
  }${replied && html` <span>replied</span>`}`
}

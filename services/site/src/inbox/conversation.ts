import { DeliveryState, type MessageSummary, type SentReply } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { linkedText } from './linked-text.ts'
import { type MailList, messageHref } from './mail-list.ts'
import type { OpenMessage } from './read-message.ts'
import { senderName } from './sender.ts'

const DELIVERY: Record<DeliveryState, { name: string; text: string }> = {
  [DeliveryState.QUEUED]: { name: 'queued', text: 'Sending' },
  [DeliveryState.SENT]: { name: 'sent', text: 'Delivered to their mail server' },
  [DeliveryState.FAILED]: {
    name: 'failed',
    text: 'Not delivered: their mail server refused it. Call them, or use another address.',
  },
  [DeliveryState.UNKNOWN]: {
    name: 'unknown',
    text: 'May not have been delivered: sending was interrupted. We don’t resend it, so it can’t arrive twice.',
  },
  [DeliveryState.UNSPECIFIED]: { name: 'queued', text: 'Sending' },
  [DeliveryState.UNRECOGNIZED]: { name: 'queued', text: 'Sending' },
}

type Turn = { at: Date | undefined; shown: Html }

/** The thread and the family's replies with their delivery status, oldest first. */
export function conversation({ query, workspace }: MailList, open: OpenMessage, clock: ReaderClock): Html {
  const { lovedOne, readBy, message, writers } = open
  const { thread, replies } = message
  const { personId } = workspace.session
  const turns: Turn[] = [
    ...thread.map((one) => ({
      at: one.receivedAt,
      shown: otherMessage(one, messageHref(query, lovedOne.id, one.id), clock),
    })),
    ...replies.map((reply) => ({
      at: reply.sentAt,
      shown: isHeld(reply, personId, clock) ? heldReply(reply, open, clock) : sentReply(reply, clock),
    })),
  ].sort((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0))
  return html`<section class="family" id="family" aria-label="Family activity">
${turns.length > 0 && html`<h2>Conversation</h2><ol class="turns">${turns.map(({ shown }) => shown)}</ol>`}
${readBy.length > 0 && html`<p class="hint">Read by ${readBy.map(({ name, at }, index) => html`${index > 0 && '; '}<bdi>${name}</bdi>${at && html`, ${whenOf(at, clock)}`}`)}.</p>`}
${replies.length === 0 && html`<p class="hint">No replies yet</p>`}
<p class="hint writing" id="writing" role="status" data-message="${message.message.id}">${writers.length > 0 && html`${writers.map((name, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)} ${writers.length === 1 ? 'is' : 'are'} writing a reply`}</p>
</section>`
}

function otherMessage({ sender, preview, receivedAt }: MessageSummary, href: string, clock: ReaderClock): Html {
  return html`<li class="turn theirs"><p class="turn-head"><a href="${href}"><bdi>${senderName(sender)}</bdi></a> <span class="hint">${receivedAt && whenOf(receivedAt, clock)}</span></p>
<p class="hint"><bdi>${preview}</bdi></p></li>`
}

function sentReply(reply: SentReply, clock: ReaderClock): Html {
  const { name: state, text } = DELIVERY[reply.delivery]
  return ownTurn(reply, clock, html`<p class="delivery ${state}" data-delivery="${state}">${text}</p>`)
}

/** Only its sender can undo it. */
function isHeld({ personId, undoUntil }: SentReply, readerId: string, { now }: ReaderClock): boolean {
  return personId === readerId && undoUntil !== undefined && undoUntil > now
}

function heldReply(reply: SentReply, { lovedOne }: OpenMessage, clock: ReaderClock): Html {
  const form = html`<form class="undo" method="post" action="/inbox/${lovedOne.id}/${reply.messageId}/undo">
<input type="hidden" name="reply" value="${reply.id}">
<p class="delivery queued" data-delivery="queued">Sending in a few seconds</p>
<button class="second">Undo</button>
</form>`
  return ownTurn(reply, clock, form)
}

function ownTurn({ name, assistant, to, body, sentAt }: SentReply, clock: ReaderClock, state: Html): Html {
  return html`<li class="turn ours"><p class="turn-head"><strong><bdi>${name}</bdi>${assistant !== undefined && assistantWords(assistant)}</strong> replied to <bdi>${to}</bdi> <span class="hint">${sentAt && whenOf(sentAt, clock)}</span></p>
<div class="body" dir="auto">${linkedText(body)}</div>
${state}</li>`
}

/** Whoever reads the reply should know that a program wrote it. */
function assistantWords(name: string): Html {
  return html`’s assistant${name !== '' && html` (<bdi>${name}</bdi>)`}`
}

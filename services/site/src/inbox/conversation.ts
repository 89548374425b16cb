import {
  type Attachment,
  type ConversationMessage,
  type Rearrangement,
  RearrangementKind,
  type SentReply,
} from '@family-inbox/proto/inbox/v1/inbox'
import { isSameSender } from '@family-inbox/workspace-kit/same-sender'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import { files } from './attachment-list.ts'
import { deletedReplies, deleteForm } from './delete-reply.ts'
import { HELD, isSettled, sentDelivery } from './delivery-words.ts'
import { linkedText } from './linked-text.ts'
import { type MailList, messageHref, withList } from './mail-list.ts'
import type { OpenMessage } from './read-message.ts'
import { sentFiles } from './reply-attachments.ts'
import { addressBeside, isSame, senderCheck, senderName } from './sender.ts'
import { isHeld, undoForm } from './undo-forms.ts'

/** Enough for a line. */
const PREVIEW_LENGTH = 280

type Turn = { at: Date | undefined; shown: Html; isUnread?: boolean }

/**
 * The other messages and the family's replies with their delivery status: those before the open message, folded, and those
 * after it, with what the family did.
 */
export function conversation(
  { query, workspace }: MailList,
  open: OpenMessage,
  clock: ReaderClock,
): { earlier: Html | undefined; later: Html } {
  const { lovedOne, readBy, message, writers } = open
  const { others, replies } = message
  const path = `/inbox/${lovedOne.id}/${message.message.id}`
  const answers = replies.filter(({ forwarded, opening }) => forwarded === undefined && !opening)
  const { personId } = workspace.session
  const openedAt = message.message.receivedAt?.getTime() ?? 0
  const isEarlier = ({ at }: { at: Date | undefined }) => (at?.getTime() ?? 0) < openedAt
  const turns: Turn[] = [
    ...others.map((other) => ({
      at: other.message?.receivedAt,
      isUnread: other.unread,
      shown: otherMessage(other, messageHref(query, lovedOne.id, other.message?.id ?? ''), open, clock),
    })),
    ...replies.map((reply) => {
      const isFolded = isEarlier({ at: reply.sentAt }) && isSettled(reply)
      const files = sentFiles(reply, path)
      if (isHeld(reply, personId, clock))
        return {
          at: reply.sentAt,
          shown: ownTurn(reply, clock, [
            files,
            HELD,
            undoForm(reply, query, open, html`Undo<span class="unseen"> this reply</span>`),
          ]),
        }
      const rest = [files, sentDelivery(reply), deleteForm(reply, withList(`${path}/replies/delete`, query), workspace)]
      const shown = isFolded ? foldedReply(reply, clock, rest) : ownTurn(reply, clock, rest)
      return { at: reply.sentAt, shown }
    }),
    ...message.rearrangements.map((act) => ({ at: act.at, shown: rearrangedTurn(act, workspace, clock) })),
  ].sort((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0))
  const [before, after] = [turns.filter(isEarlier), turns.filter((turn) => !isEarlier(turn))]
  const later = html`<section class="family" id="family" aria-label="Family activity">
${after.length > 0 && html`<h2>${others.length > 0 || answers.length < replies.length ? 'After this message' : 'Replies'}</h2><ol class="turns">${after.map(({ shown }) => shown)}</ol>`}
${readBy.length > 0 && html`<p class="hint">Read by ${readBy.map(({ name, at }, index) => html`${index > 0 && '; '}<bdi>${name}</bdi>${at && html`, ${whenOf(at, clock)}`}`)}.</p>`}
${deletedReplies(message.deletedReplies, withList(`${path}/replies/restore`, query))}
${answers.length === 0 && html`<p class="hint">No replies yet</p>`}
<p class="hint writing" id="writing" role="status" data-message="${message.message.id}">${writers.length > 0 && html`${writers.map((name, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)} ${writers.length === 1 ? 'is' : 'are'} writing a reply`}</p>
</section>`
  return { earlier: before.length === 0 ? undefined : earlierTurns(before), later }
}

/** One line, so that the open message is near the top. */
function earlierTurns(turns: Turn[]): Html {
  return html`<details class="earlier linked" id="earlier"${turns.some(({ isUnread }) => isUnread) && html` open`}>
<summary>${turns.length === 1 ? '1 earlier message' : `${turns.length} earlier messages`}</summary>
<ol class="turns">${turns.map(({ shown }) => shown)}</ol>
</details>`
}

/**
 * Folded unless it was unread. On its own page it has its original layout and a reply form. Not all mail of a conversation is of
 * one sender: unverified mail stays folded, and only verified mail of the sender of the open message has links and files.
 */
function otherMessage(one: ConversationMessage, href: string, open: OpenMessage, clock: ReaderClock): Html {
  const { message, body, bodyTruncated, attachments, unread, hasDraft, forwardingConfirmation } = one
  if (message === undefined) return html``
  const { id, sender, preview, receivedAt } = message
  const { isVerified, shown: check } = senderCheck(message)
  const opened = open.message.message.sender
  const hasLinks = isVerified && isSameSender(sender?.address ?? '', opened?.address ?? '')
  return html`<li class="turn theirs"><details class="turn-fold"${unread && isVerified && html` open`}>
<summary class="turn-summary"><span class="turn-head"><strong><bdi>${senderName(sender)}</bdi></strong> <span class="hint address-of"><bdi>${addressBeside(sender)}</bdi></span> <span class="hint">${receivedAt && html`· ${whenOf(receivedAt, clock)}`}${unread && !isVerified && ' · unread'}${hasDraft && ' · your draft'}</span></span>
<span class="turn-check">${check}${!isSame(sender, opened) && html` <strong>From another address than this message</strong>`}</span>
<span class="turn-preview hint" dir="auto">${preview}</span></summary>
<div class="body" dir="auto">${forwardingConfirmation || !hasLinks ? body : linkedText(body)}</div>
${bodyTruncated && html`<p class="hint">This is the start of a long message.</p>`}
${attachments.length > 0 && (hasLinks ? files({ path: `/inbox/${open.lovedOne.id}/${id}`, attachments }) : fileNames(attachments))}
<p><a href="${href}">${hasDraft ? 'Continue your reply to this message' : 'Open this message'}</a></p>
</details></li>`
}

function fileNames(attachments: Attachment[]): Html {
  return html`<p class="hint">To see its files, open this message: ${attachments.map(({ filename }, index) => html`${index > 0 && ', '}<bdi>${filename}</bdi>`)}</p>`
}

function foldedReply(reply: SentReply, clock: ReaderClock, rest: (Html | undefined)[]): Html {
  const { body, sentAt } = reply
  return html`<li class="turn ours"><details class="turn-fold">
<summary class="turn-summary"><span class="turn-head">${didWords(reply)} <span class="hint">${sentAt && whenOf(sentAt, clock)}</span></span>
<span class="turn-preview hint" dir="auto">${body.slice(0, PREVIEW_LENGTH)}</span></summary>
${ownWords(reply)}
${rest}
</details></li>`
}

function ownTurn(reply: SentReply, clock: ReaderClock, rest: (Html | undefined)[]): Html {
  const { sentAt } = reply
  return html`<li class="turn ours"><p class="turn-head">${didWords(reply)} <span class="hint">${sentAt && whenOf(sentAt, clock)}</span></p>
${ownWords(reply)}
${rest}</li>`
}

/** Who sent what to whom. */
function didWords({ name, assistant, approvedBy, byMail, to, copies, forwarded, opening }: SentReply): Html {
  const others =
    copies.length > 0 &&
    html`, with a copy to ${copies.map((copy, index) => html`${index > 0 && ', '}<bdi>${copy.to}</bdi>`)}`
  const by = html`<strong><bdi>${name}</bdi>${assistant !== undefined && assistantWords(assistant, approvedBy)}</strong>`
  if (opening) return html`${by} wrote this to <bdi>${to}</bdi>${others}`
  if (forwarded === undefined) return html`${by} replied to <bdi>${to}</bdi>${others}${byMail && ', by mail'}`
  return html`${by} forwarded this to <bdi>${to}</bdi>${others}${WITH[`${forwarded.files}-${forwarded.original}`]}`
}

const WITH: Readonly<Record<string, string>> = {
  'true-false': ', with its files',
  'false-true': ', with the original mail',
  'true-true': ', with its files and the original mail',
}

/** None may be above a forwarded message, and those of a message that the family wrote are the message itself. */
function ownWords({ body, footer, opening }: SentReply): Html | undefined {
  if (opening) return undefined
  return html`${body !== '' && html`<div class="body" dir="auto">${linkedText(body)}</div>`}
${footer && html`<p class="hint"><bdi>${footer}</bdi></p>`}`
}

/** Whoever reads the reply should know that a program wrote it. */
function assistantWords(name: string, approvedBy: string | undefined): Html {
  return html`’s assistant${name !== '' && html` (<bdi>${name}</bdi>)`}${approvedBy !== undefined && html`; approved by <bdi>${approvedBy}</bdi>,`}`
}

/** Says who moved a conversation, put it with another one, or took it apart. */
function rearrangedTurn(act: Rearrangement, workspace: Workspace, clock: ReaderClock): Html {
  return html`<li class="turn ours"><p class="turn-head"><strong><bdi>${act.name}</bdi></strong> ${rearrangedWords(act, workspace)} <span class="hint">${act.at && whenOf(act.at, clock)}</span></p></li>`
}

function rearrangedWords({ kind, fromLovedOneId }: Rearrangement, { lovedOnes }: Workspace): Html | string {
  if (kind === RearrangementKind.JOINED) return 'put this with another conversation'
  if (kind === RearrangementKind.TAKEN_OUT) return 'took this out of another conversation'
  const from = lovedOnes.find(({ id }) => id === fromLovedOneId)
  return from ? html`moved this here from <bdi>${from.name}</bdi>’s inbox` : 'moved this here from another inbox'
}

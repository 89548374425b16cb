import {
  type ConversationState,
  ConversationStatus,
  type InboxEntry,
  type Mailbox,
  type MessageSummary,
} from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { dayOf, daysBetween, timeOf } from '../shell/moment.ts'
import { initialsBadge } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import { categoryWords } from './category-words.ts'
import { markFound } from './found-words.ts'
import { type MailList, messageHref } from './mail-list.ts'
import { addressBeside, originalOf, senderCheck, senderName } from './sender.ts'

type MailRow = { entry: InboxEntry; list: MailList; clock: ReaderClock; isOpen: boolean }

export function mailRow({ entry, list, clock, isOpen }: MailRow): Html {
  const { message, lovedOneId, unread } = entry
  if (message === undefined) return html``
  const { id, subject, preview, receivedAt } = message
  const lovedOne = list.workspace.lovedOnes.find((one) => one.id === lovedOneId)
  const { terms } = list
  const isMixed = list.query.lovedOne === undefined && list.workspace.lovedOnes.length > 1
  return html`<li class="mail${unread && ' unread'}${isOpen && ' open'}" data-id="${conversationOf(entry)}" data-newest="${id}">
${isMixed && lovedOne && initialsBadge(lovedOne.name, lovedOne.position)}
<div class="lines">
${senderLine(entry, list)}
<p class="at">${receivedAt && (daysBetween(receivedAt, clock.now, clock) < 2 ? timeOf(receivedAt, clock) : dayOf(receivedAt, clock))}</p>
<p class="subject"><a href="${messageHref(list.query, lovedOneId, id)}" aria-label="${linkWords(message, entry)}" aria-describedby="by-${id}"${isOpen && html` aria-current="true"`}><bdi>${subject === '' ? 'No subject' : markFound(subject, terms.words)}</bdi></a></p>
<p class="preview" dir="auto">${markFound(preview, terms.words)}</p>
<p class="kind">${isMixed && lovedOne && html`<span class="unseen">For <bdi>${lovedOne.name}</bdi>. </span>`}${kindOf(entry, list.workspace)}</p>
</div>
</li>\n`
}

/** The address is there, too: anyone can use any name. */
function senderLine({ message, unread, turnCount: turns = 1 }: InboxEntry, { terms }: MailList): Html {
  if (message?.writtenTo) return writtenLine(message, unread, turns)
  const author = message && forwardedAuthor(message)
  const shown = author ?? message?.sender
  const address = addressBeside(shown)
  const beside =
    author === undefined
      ? senderCheck(message).shown
      : html`<span>from <bdi>${senderName(message?.sender)}</bdi></span>`
  return html`<div class="sender"><p class="from">${unread && DOT}<bdi>${markFound(senderName(shown), [terms.words, ...terms.from].join(' '))}</bdi>${turnCount(turns)}</p>
<p class="by" id="by-${message?.id}">${beside}${address !== '' && html` <span class="sent-from"><bdi>${address}</bdi></span>`}</p></div>`
}

/** What the family wrote itself: by whom, and to whom. */
function writtenLine({ id, sender, writtenTo }: MessageSummary, unread: boolean, turns: number): Html {
  return html`<div class="sender"><p class="from">${unread && DOT}<bdi>${senderName(sender)}</bdi>${turnCount(turns)}</p>
<p class="by" id="by-${id}"><span>to</span> <span class="sent-from"><bdi>${writtenTo?.address}</bdi></span></p></div>`
}

const DOT = html`<span class="dot" aria-hidden="true"></span><span class="unseen">Unread. </span>`

/** The words for a screen reader, which also name a sender that is not verified. */
function linkWords(message: MessageSummary, { unread, turnCount = 1 }: InboxEntry): string {
  const { sender, subject } = message
  const { isVerified, label } = senderCheck(message)
  const author = forwardedAuthor(message)
  const by = author === undefined ? '' : `${senderName(author)}, from `
  const from = `${by}${senderName(sender)}${isVerified ? '' : `, ${label.toLowerCase()}`}`
  const more = turnCount > 1 ? `, ${turnCount} messages and replies` : ''
  return `${unread ? 'Unread. ' : ''}${from}: ${subject || 'No subject'}${more}`
}

function turnCount(turns: number): Html | undefined {
  if (turns < 2) return undefined
  return html` <span class="turn-count" title="${turns} messages and replies"><span class="unseen">and </span>${turns}<span class="unseen"> messages and replies</span></span>`
}

/** Identifies the row while messages are added to it. */
export function conversationOf({ conversationId, message }: InboxEntry): string {
  return conversationId ?? message?.id ?? ''
}

/** Shown only when a member verifiably forwarded the message: anyone can forge the rest. The check is about that member. */
function forwardedAuthor(message: MessageSummary): Mailbox | undefined {
  const original = originalOf(message)
  return original?.isVerified ? original.writer : undefined
}

function kindOf(entry: InboxEntry, { session, nameOf }: Workspace): Html {
  const { message, replied, repliedBy, hasDraft, forwardingConfirmation } = entry
  const files = message?.attachmentCount ?? 0
  const category = message && categoryWords(message.category)
  return html`${rowStatus(message?.state, session.personId, nameOf)}${forwardingConfirmation ? html`<span><strong>Forwarding request</strong></span>` : html`<span class="category">${category?.label}</span>`}${
    files > 0 && html` <span>${clip()}${files === 1 ? '1 file' : `${files} files`}</span>`
  }${replied && html` <span>${repliedWords(repliedBy.map((name) => firstName(name, nameOf)))}</span>`}${hasDraft && html` <span class="draft-word">your draft</span>`}`
}

type Names = ReadonlyMap<string, string>

/** "Ana" for "Ana Martin", unless another member has that first name, too. */
function firstName(name: string, nameOf: Names): string {
  const first = name.split(/\s/)[0] ?? name
  const others = [...nameOf.values()].filter((other) => other !== name && other.split(/\s/)[0] === first)
  return others.length > 0 ? name : first
}

function repliedWords(names: string[]): Html {
  const [first, ...others] = names
  if (first === undefined) return html`replied`
  return html`<bdi>${first}</bdi>${others.length > 0 && ` and ${others.length} more`} replied`
}

function clip(): Html {
  return html`<svg class="clip" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="m13 7.2-5.2 5.2a3.2 3.2 0 0 1-4.5-4.5l5.6-5.6a2.1 2.1 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5l4.9-4.9"/></svg>`
}

/** The state of a conversation in its row of the list. Open work has no word: most mail is open. */
function rowStatus(state: ConversationState | undefined, readerId: string, nameOf: Names): Html | undefined {
  if (state === undefined) return undefined
  const { status, assigneeId, assigneeName } = state
  if (status === ConversationStatus.TAKEN)
    return assigneeId === readerId
      ? html`<span class="status taken">you’re on it</span> `
      : html`<span class="status taken"><bdi>${firstName(assigneeName, nameOf)}</bdi> is on it</span> `
  if (status === ConversationStatus.DONE) return html`<span class="status finished">done</span> `
  if (status === ConversationStatus.NOT_NEEDED) return html`<span class="status finished">no action needed</span> `
  return undefined
}

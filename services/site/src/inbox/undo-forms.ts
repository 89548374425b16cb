import {
  ConversationStatus,
  type MessageSummary,
  RearrangementKind,
  type SentReply,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { FlashName } from '../shell/flash.ts'
import { type Html, html } from '../shell/html.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { type ListQuery, type MailList, withList } from './mail-list.ts'
import type { OpenMessage } from './read-message.ts'
import type { ACTIONS } from './status-bar.ts'

/** The forms that take back what was just done with a message. */
export function undoForms(
  { query, workspace }: MailList,
  { lovedOne, message }: Pick<OpenMessage, 'lovedOne' | 'message'>,
  clock: ReaderClock,
): Partial<Record<FlashName, Html>> {
  const { personId } = workspace.session
  const undo = (messageId: string, form: string, name: string, value: string) =>
    html`<form method="post" action="${withList(`/inbox/${lovedOne.id}/${messageId}/${form}`, query)}"><button class="quiet" name="${name}" value="${value}">Undo</button></form>`
  const { id } = message.message
  const act = (name: keyof typeof ACTIONS) => undo(id, 'status', 'act', String(name))
  const held = message.replies.findLast((reply) => isHeld(reply, personId, clock))
  const takeBack = held && undoForm(held, query, { lovedOne, message })
  const note = message.notes.findLast((one) => one.personId === personId)
  const deleteNote = note && undo(id, 'notes/delete', 'note', note.id)
  const [deleted] = message.deletedNotes
  const rearranged = message.rearrangements.findLast((act) => act.personId === personId)
  const moveBack = rearranged && undo(id, 'somebody-else', 'to', rearranged.fromLovedOneId)
  const takeApart = rearranged && undo(rearranged.messageId, 'rearranged/undo', 'rearrangement', rearranged.id)
  return {
    'message-taken': act('give-back'),
    'message-given-back': act('take'),
    'message-done': act('open-again'),
    'message-not-needed': act('open-again'),
    ...(takeBack && { 'reply-sent': takeBack, 'reply-sent-done': takeBack, 'message-forwarded': takeBack }),
    ...(rearranged?.kind === RearrangementKind.MOVED && { 'message-moved': moveBack }),
    ...(rearranged?.kind === RearrangementKind.JOINED && { 'conversations-joined': takeApart }),
    ...(rearranged?.kind === RearrangementKind.TAKEN_OUT && { 'message-taken-out': takeApart }),
    ...(deleted && { 'note-deleted': undo(id, 'notes/restore', 'note', deleted.id) }),
    ...(deleteNote && { 'note-added': deleteNote, 'note-added-named': deleteNote }),
  }
}

export function isHeld({ personId, undoUntil }: SentReply, readerId: string, { now }: ReaderClock): boolean {
  return personId === readerId && undoUntil !== undefined && undoUntil > now
}

/** Of the reader's own reply, in the few seconds before it is sent. What was marked as done with it opens again. */
export function undoForm(
  reply: SentReply,
  query: ListQuery,
  { lovedOne, message }: Pick<OpenMessage, 'lovedOne' | 'message'>,
  label: Html | string = 'Undo',
): Html {
  const { id, messageId } = reply
  return html`<form class="undo" method="post" action="${withList(`/inbox/${lovedOne.id}/${messageId}/undo`, query)}">
<input type="hidden" name="reply" value="${id}">
${isDoneWith(reply, message.message) && html`<input type="hidden" name="reopen" value="1">`}
<button class="quiet">${label}</button>
</form>`
}

function isDoneWith({ sentAt }: SentReply, { state }: MessageSummary): boolean {
  const { status, changedAt } = state ?? {}
  return status === ConversationStatus.DONE && sentAt !== undefined && changedAt !== undefined && changedAt >= sentAt
}

import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { readCalendarRequests } from '../appointments/calendar-answers.ts'
import type { Context } from '../context.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { categoryOf } from './category-words.ts'
import { readInvitations } from './invitation-card.ts'
import { backToMessage, listHref, readMessageQuery } from './mail-list.ts'
import { readMessageActivity } from './message-activity.ts'
import { readMessageAppointments } from './message-appointments.ts'
import { readMessageTasks } from './message-tasks.ts'
import { type NoteForm, newNote } from './notes.ts'
import { openMessagePage } from './open-message.ts'
import { messageMissing, readMessage } from './read-message.ts'
import { newReply, type ReplyForm, readReplyForm, sendReply } from './reply.ts'
import { isFromAnother, unsentReply } from './unsent-reply.ts'

export function showMessage(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => messageReply(ctx, visit, workspace)
}

/** Sends a reply; a refused one stays in its form. */
export function replyToMessage(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    if (isFromAnother(visit, workspace.session)) return unsentReply('someone-else', visit)
    const outcome = await sendReply(ctx, visit, workspace).catch(undefinedIfMissing)
    if (outcome === undefined) return messageMissing(workspace)
    if (typeof outcome !== 'string') return messageReply(ctx, visit, workspace, { reply: outcome })
    // composer.js deletes its copy of a reply that was sent.
    return {
      redirectTo: backToMessage(visit, 'family', { sent: readReplyForm(visit).idempotencyKey }),
      flash: outcome,
    }
  }
}

/** The message's page, with the form that was refused. */
export async function messageReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  refused: { reply?: ReplyForm; note?: NoteForm } = {},
): Promise<Reply> {
  const query = readMessageQuery(visit, workspace)
  const [read, appointments, activity] = await Promise.all([
    readMessage(ctx, visit, workspace, query),
    readMessageAppointments(ctx, visit, workspace, messageIdsOf(visit)),
    readMessageActivity(ctx, visit, workspace, messageIdsOf(visit)),
  ])
  if (read === undefined) return messageMissing(workspace)
  if ('movedTo' in read) return { redirectTo: messagePath({ ...messageIdsOf(visit), lovedOneId: read.movedTo }) }
  const { open, list } = read
  const isInvited = open.message.attachments.some(({ preview }) => preview === PreviewKind.INVITATION)
  const [invitations, calendar] = await Promise.all([
    readInvitations(ctx, visit, workspace, open),
    isInvited
      ? readCalendarRequests(ctx, visit, workspace, messageIdsOf(visit))
      : { requests: [], answers: [], isLate: false },
  ])
  const tasks = await readMessageTasks(ctx, visit, workspace, messageIdsOf(visit), invitations.tasks)
  const { reply: form = newReply(open.message.draft, open.message.draftCc), note = newNote() } = refused
  const shown = { list, open, invitations, appointments, tasks, calendar, activity }
  const page = openMessagePage({ ...shown, clock: visit.clock, form, note, hasLinks: visit.query('links') !== '' })
  return { page, status: refused.reply || refused.note ? 422 : 200 }
}

/** Marks a message as unread for the reader only. */
export function markUnread(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const request = { ...ids, read: false }
    const marked = await ctx.inbox.markMessage(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    if (marked === undefined) return messageMissing(workspace)
    return { redirectTo: listHref(readMessageQuery(visit, workspace)), flash: 'marked-unread' }
  }
}

/** The browser of a reader says that it prints a message. A message that is not there leaves no entry. */
export function recordPrint(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const message = messageIdsOf(visit)
    const { subjects } = await ctx.inbox.listSubjects({ messages: [message] }, asPerson(session, visit))
    if (subjects.length > 0)
      await ctx.recordAct(session, {
        act: 'print_message',
        message,
        hourly: `${message.lovedOneId}/${message.messageId}`,
      })
    return { status: 204, headers: {}, body: '' }
  }
}

export function changeCategory(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const request = { ...ids, category: categoryOf(visit.field('category')) }
    const changed = await ctx.inbox
      .changeCategory(request, asPerson(workspace.session, visit))
      .catch(undefinedIfMissing)
    if (changed === undefined) return messageMissing(workspace)
    return { redirectTo: backToMessage(visit), flash: 'category-changed' }
  }
}

import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../shell/fields.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage } from './mail-list.ts'
import { findMentions } from './mentions.ts'
import { messageMissing, messageReply } from './message.ts'
import { messageIdsOf } from './message-path.ts'
import { undefinedIfMissing } from './read-message.ts'

const ERRORS = { note: 'Enter your note, up to 2,000 characters' }
/** Longer than allowed, so that too long a note comes back whole. */
const MAX_TEXT = 20_000

/** Adds a note and notifies whom it names. A refused one stays in its form. */
export function addNote(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const person = asPerson(workspace.session, visit)
    const [text, key] = [visit.field('note').slice(0, MAX_TEXT), visit.field('key').slice(0, 100)]
    try {
      const { members } = await ctx.careCircle.listMembers({}, person)
      const known = members.filter(({ personId }) => personId !== '')
      const namedPersonIds = findMentions(text, known)
      const added = await ctx.inbox
        .addNote({ ...ids, text, namedPersonIds, idempotencyKey: key }, person)
        .catch(undefinedIfMissing)
      if (added === undefined) return messageMissing(workspace)
      return {
        redirectTo: backToMessage(visit, workspace, 'notes'),
        flash: namedPersonIds.length > 0 ? 'note-added-named' : 'note-added',
      }
    } catch (error) {
      const errors = isFull(error) ? { note: error.message } : toFieldErrors(error, ERRORS, { text: 'note' })
      return messageReply(ctx, visit, workspace, { note: { text, key, errors } })
    }
  }
}

export function deleteNote(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { noteId: visit.field('note').slice(0, 128) }
    // Deleted already is as good.
    await ctx.inbox.deleteNote(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    return { redirectTo: backToMessage(visit, workspace, 'notes'), flash: 'note-deleted' }
  }
}

function isFull(error: unknown): error is StatusError {
  return (
    error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED' && error.detail.retryAfterSec === undefined
  )
}

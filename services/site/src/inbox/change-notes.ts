import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { withQuery } from '../shell/parts.ts'
import { withReturnTo } from '../shell/return-to.ts'
import { asPerson } from '../shell/session.ts'
import type { PageReply, Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage, sentListQuery } from './mail-list.ts'
import { findMentions } from './mentions.ts'
import { messageReply } from './message.ts'
import { noteForm } from './notes.ts'
import { messageMissing } from './read-message.ts'

const ERRORS = { note: 'Enter your note, up to 2,000 characters' }
/** Longer than allowed, so that too long a note comes back whole. */
const MAX_TEXT = 20_000
/** The longest note that is kept. */
const MAX_SEARCHED = 2000

/** Adds a note and notifies whom it names. A refused one stays in its form. */
export function addNote(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const person = asPerson(workspace.session, visit)
    const { text, key } = readNote(visit)
    try {
      const namedPersonIds = findMentions(text.slice(0, MAX_SEARCHED), workspace.members)
      const added = await ctx.inbox
        .addNote({ ...ids, text, namedPersonIds, idempotencyKey: key }, person)
        .catch(undefinedIfMissing)
      if (added === undefined) return messageMissing(workspace)
      return {
        redirectTo: backToMessage(visit, 'notes'),
        flash: namedPersonIds.length > 0 ? 'note-added-named' : 'note-added',
      }
    } catch (error) {
      const errors = isFull(error) ? { note: error.message } : toFieldErrors(error, ERRORS, { text: 'note' })
      return messageReply(ctx, visit, workspace, { note: { text, key, errors } })
    }
  }
}

/** Returns the text in the same form: the session ended while it was written. */
export async function unsavedNote(visit: Visit): Promise<PageReply> {
  const action = withQuery(`${messagePath(messageIdsOf(visit))}/notes`, sentListQuery(visit))
  const title = 'Your note was not saved'
  const main = html`<h1>${title}</h1>
<p class="notice" role="alert">Your session ended. Your text is still here.</p>
<ol class="steps">
<li><a href="${withReturnTo('/sign-in', backToMessage(visit))}" target="_blank" rel="noopener">Sign in</a> (opens in a new tab).</li>
<li>Come back to this page and press Add note.</li>
</ol>
${noteForm(action, { ...readNote(visit), errors: {} })}`
  return { status: 422, page: { title, hasErrors: true, main } }
}

function readNote(visit: Visit): { text: string; key: string } {
  return { text: visit.field('note').slice(0, MAX_TEXT), key: visit.field('key').slice(0, 100) }
}

export function deleteNote(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { noteId: visit.field('note').slice(0, 128) }
    // Deleted already is as good.
    await ctx.inbox.deleteNote(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    return { redirectTo: backToMessage(visit, 'notes'), flash: 'note-deleted' }
  }
}

export function restoreNote(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { noteId: visit.field('note').slice(0, 128) }
    const restored = await ctx.inbox.restoreNote(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
    return { redirectTo: backToMessage(visit, 'notes'), flash: restored ? 'note-restored' : undefined }
  }
}

function isFull(error: unknown): error is StatusError {
  return (
    error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED' && error.detail.retryAfterSec === undefined
  )
}

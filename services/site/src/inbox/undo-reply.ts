import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'

/** Takes a reply back within its few seconds; its text is in the composer again. */
export function undoReply(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const path = messagePath(messageIdsOf(visit))
    try {
      await ctx.inbox.undoReply({ replyId: visit.field('reply').slice(0, 128) }, asPerson(session, visit))
      return { redirectTo: `${path}#reply`, flash: 'reply-undone' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: `${path}#family`, flash: 'undo-too-late' }
    }
  }
}

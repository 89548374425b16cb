import { StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { tryChangeStatus } from './change-status.ts'
import { forwardPath } from './forward-message.ts'
import { backToMessage } from './mail-list.ts'

/** Takes a reply back within its few seconds; its text is in the composer again, or in the form of a forward. */
export function undoReply(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    try {
      const request = { replyId: visit.field('reply').slice(0, 128) }
      const { forward } = await ctx.inbox.undoReply(request, asPerson(workspace.session, visit))
      if (forward) return { redirectTo: forwardPath(visit), flash: 'mail-undone' }
      if (visit.field('reopen') !== '') await tryChangeStatus(ctx, visit, workspace, StatusAction.OPEN_AGAIN)
      return { redirectTo: backToMessage(visit, 'reply'), flash: 'reply-undone' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: backToMessage(visit, 'family'), flash: 'undo-too-late' }
    }
  }
}

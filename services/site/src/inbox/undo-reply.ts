import { StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage } from './mail-list.ts'

/** Takes a reply back within its few seconds; its text is in the composer again. */
export function undoReply(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    try {
      await ctx.inbox.undoReply({ replyId: visit.field('reply').slice(0, 128) }, asPerson(session, visit))
      if (visit.field('reopen') !== '') await openAgain(ctx, visit, session)
      return { redirectTo: backToMessage(visit, 'reply'), flash: 'reply-undone' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: backToMessage(visit, 'family'), flash: 'undo-too-late' }
    }
  }
}

/** The reply is undone even if this fails. */
async function openAgain(ctx: Context, visit: Visit, session: Workspace['session']): Promise<void> {
  const request = { ...messageIdsOf(visit), action: StatusAction.OPEN_AGAIN, assigneeId: '', seenAssigneeId: '' }
  await ctx.inbox.changeStatus(request, asPerson(session, visit)).catch(() => undefined)
}

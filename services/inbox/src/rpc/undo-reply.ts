import type { UndoReplyRequest, UndoReplyResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { draftId } from '../models/draft.ts'
import { keepDraft } from '../reading/drafts.ts'

/** Takes back the caller's own reply before it is sent; the text becomes their draft again. Owner and coordinators only. */
export function undoReply(ctx: Context): Handler<UndoReplyRequest, UndoReplyResponse> {
  return async ({ replyId }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call, { write: true })
    const own = { _id: replyId, workspaceId, personId, heldUntil: { $exists: true } }
    const reply = await ctx.replies.findOne(own).lean()
    if (reply === null) throw tooLate()
    // The draft first: a crash in between must not lose the text.
    const { messageRowId, body } = reply
    await keepDraft(ctx, { workspaceId, messageRowId, personId, body })
    const { deletedCount } = await ctx.replies.deleteOne(own)
    if (deletedCount === 1) return {}
    await ctx.drafts.deleteOne({ _id: draftId(personId, messageRowId), body })
    throw tooLate()
  }
}

function tooLate(): StatusError {
  return new StatusError('FAILED_PRECONDITION', 'This reply is already on its way and can’t be undone.')
}

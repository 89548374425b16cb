import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { RestoreReplyRequest, RestoreReplyResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'

/** Puts a deleted reply back for its author or the owner. One that is back already stays. */
export function restoreReply(ctx: Context): Handler<RestoreReplyRequest, RestoreReplyResponse> {
  return async ({ replyId }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const own = { _id: replyId, workspaceId, ...(role !== Role.OWNER && { personId }) }
    const isKept = { $or: [{ purgeAt: null }, { purgeAt: { $gt: new Date() } }] }
    const reply = await ctx.replies
      .findOneAndUpdate(
        { ...own, ...isKept },
        { $unset: { deletedAt: 1, purgeAt: 1 } },
        { projection: { lovedOneId: 1 } },
      )
      .lean()
    if (reply === null) throw new StatusError('NOT_FOUND', 'This reply was deleted for good or never existed.')
    ctx.liveUpdates.announce(workspaceId, { lovedOneId: reply.lovedOneId })
    return {}
  }
}

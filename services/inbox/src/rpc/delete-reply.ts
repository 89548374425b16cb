import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { DeleteReplyRequest, DeleteReplyResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { IN_PROGRESS } from '../models/delivery.ts'
import { publicIdOf } from '../models/message.ts'
import { KEPT_MS } from '../models/message-aside.ts'
import { mailIdsOf, type Reply } from '../models/reply.ts'

/**
 * Takes a sent reply out of the conversation, for its author or the owner. Its row stays for 30 days, so that it can be put back and
 * the same form sends nothing again. A reply of another workspace is not found.
 */
export function deleteReply(ctx: Context): Handler<DeleteReplyRequest, DeleteReplyResponse> {
  return async ({ replyId }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const { workspaceId, personId, role } = member
    const reply = await ctx.replies.findOne({ _id: replyId, workspaceId }).lean()
    if (reply === null) throw new StatusError('NOT_FOUND', 'This reply was deleted for good or never existed.')
    if (reply.personId !== personId && role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only its author and the owner can delete a reply.')
    if (reply.opening) throw new StatusError('FAILED_PRECONDITION', 'Move this message to Deleted instead.')
    await requireSent(ctx, reply)
    const deletedAt = new Date()
    const purgeAt = new Date(deletedAt.getTime() + KEPT_MS)
    const own = { _id: replyId, workspaceId, deletedAt: null }
    const { modifiedCount } = await ctx.replies.updateOne(own, { $set: { deletedAt, purgeAt } })
    crashPoint('reply-deleted')
    const { lovedOneId, messageRowId } = reply
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    const message = { messageId: publicIdOf({ _id: messageRowId }), lovedOneId }
    const once = `${replyId}/${deletedAt.getTime()}`
    if (modifiedCount > 0) await ctx.recordAct(member, { act: 'delete_reply', message, once })
    return {}
  }
}

/** What may still leave needs its row and its files, and its author may undo it. */
async function requireSent({ deliveries }: Context, reply: Reply): Promise<void> {
  const mails = { _id: { $in: mailIdsOf(reply) }, state: { $in: IN_PROGRESS } }
  if (reply.mailQueuedAt !== undefined && (await deliveries.exists(mails)) === null) return
  throw new StatusError('FAILED_PRECONDITION', 'This reply is still being sent. Delete it once it is delivered.')
}

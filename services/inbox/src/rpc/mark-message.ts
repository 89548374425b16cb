import type { MarkMessageRequest, MarkMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { markRead, markUnread } from '../finding/read-state.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'

/** Marks a message read or unread for the caller. Viewers may, too. */
export function markMessage(ctx: Context): Handler<MarkMessageRequest, MarkMessageResponse> {
  return async ({ messageId, lovedOneId, read }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call, { lovedOneId })
    const fields = { workspaceId: 1, lovedOneId: 1, receivedAt: 1 }
    const row = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), fields).lean()
    if (row === null) throw messageNotFound()
    await (read ? markRead : markUnread)(ctx, { personId, workspaceId }, row)
    return {}
  }
}

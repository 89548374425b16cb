import type { PurgeMessageRequest, PurgeMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { messageRowId } from '../models/message.ts'
import { movedTogether } from '../models/message-aside.ts'

/** Deletes for good what was moved together. What is gone already stays so. Owner and coordinators only. */
export function purgeMessage(ctx: Context): Handler<PurgeMessageRequest, PurgeMessageResponse> {
  return async ({ messageId, lovedOneId }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    requirePerson(call)
    const together = movedTogether(messageRowId({ workspaceId: member.workspaceId, lovedOneId }, messageId))
    const { matchedCount } = await ctx.messagesAside.updateMany(together, {
      $set: { isPurged: true, purgeAt: new Date() },
    })
    crashPoint('purge-decided')
    ctx.wake.purge()
    const message = { messageId, lovedOneId }
    if (matchedCount > 0) await ctx.recordAct(member, { act: 'delete_for_good', message, once: messageId })
    return {}
  }
}

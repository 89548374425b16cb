import type { JoinConversationsRequest, JoinConversationsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { joinByHand } from '../rearranging/join-by-hand.ts'

/** Puts a message's conversation with another one of the same inbox. Owner and coordinators only. */
export function joinConversations(ctx: Context): Handler<JoinConversationsRequest, JoinConversationsResponse> {
  return async ({ messageId, lovedOneId, withMessageId, seenConversationId: seenId }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    requirePerson(call)
    const { workspaceId, personId, name } = member
    const inbox = { workspaceId, lovedOneId }
    const rearrangementId = await joinByHand(ctx, inbox, { messageId, withMessageId, seenId }, { personId, name })
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    if (rearrangementId !== '')
      await ctx.recordAct(member, {
        act: 'join_conversations',
        message: { messageId, lovedOneId },
        once: rearrangementId,
      })
    return { rearrangementId }
  }
}

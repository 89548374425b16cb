import type { TakeOutMessageRequest, TakeOutMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { takeOut } from '../rearranging/take-out.ts'

/** Makes a message a conversation of its own. Owner and coordinators only. */
export function takeOutMessage(ctx: Context): Handler<TakeOutMessageRequest, TakeOutMessageResponse> {
  return async ({ messageId, lovedOneId }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    requirePerson(call)
    const { workspaceId, personId, name } = member
    const rearrangementId = await takeOut(ctx, { workspaceId, lovedOneId }, messageId, { personId, name })
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    if (rearrangementId !== '')
      await ctx.recordAct(member, {
        act: 'take_out_message',
        message: { messageId, lovedOneId },
        once: rearrangementId,
      })
    return { rearrangementId }
  }
}

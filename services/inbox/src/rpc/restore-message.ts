import type { RestoreMessageRequest, RestoreMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { moveBack } from '../deleting/move-aside.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { VISIBLE } from '../models/message-aside.ts'

/** Puts back what was moved together, which somebody else may be doing, too. Owner and coordinators only. */
export function restoreMessage(ctx: Context): Handler<RestoreMessageRequest, RestoreMessageResponse> {
  return async ({ messageId, lovedOneId }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    const { workspaceId } = member
    requirePerson(call)
    const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
    if (await moveBack(ctx, _id)) {
      await ctx.recordAct(member, { act: 'restore_message', message: { messageId, lovedOneId } })
      return {}
    }
    // In this order: whoever puts it back stores it there before it leaves here.
    const moved = await ctx.messagesAside.findOne({ _id, ...VISIBLE }, { moving: 1 }).lean()
    if (await ctx.messages.exists({ _id })) return {}
    if (moved === null) throw messageNotFound()
    if (moved.moving === 'out') throw new StatusError('UNAVAILABLE', 'This is being moved right now. Try again.')
    return {}
  }
}

import type { UndoRearrangementRequest, UndoRearrangementResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { undoRearrangement as undo } from '../rearranging/undo.ts'

/** Takes back a join or a taking out, whoever did it. Owner and coordinators only. */
export function undoRearrangement(ctx: Context): Handler<UndoRearrangementRequest, UndoRearrangementResponse> {
  return async ({ messageId, lovedOneId, rearrangementId }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    const { workspaceId } = member
    requirePerson(call)
    await undo(ctx, { workspaceId, lovedOneId }, messageId, rearrangementId)
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    await ctx.recordAct(member, {
      act: 'undo_rearrangement',
      message: { messageId, lovedOneId },
      once: rearrangementId,
    })
    return {}
  }
}

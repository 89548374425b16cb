import type { RemoveToDoRequest, RemoveToDoResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'
import { requireToDo } from '../to-dos/require-to-do.ts'

/** Removing twice is the same as once. */
export function removeToDo(ctx: Context): Handler<RemoveToDoRequest, RemoveToDoResponse> {
  return async ({ toDoId }, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const { _id } = await requireToDo(ctx, workspaceId, toDoId)
    await ctx.toDos.updateOne({ _id, workspaceId, removedAt: null }, { $set: { removedAt: new Date() } })
    return {}
  }
}

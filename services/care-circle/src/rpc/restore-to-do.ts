import type { RestoreToDoRequest, RestoreToDoResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'
import { requireSpace } from '../to-dos/require-space.ts'
import { requireToDo } from '../to-dos/require-to-do.ts'

/** Puts a removed one back as it was. One that is back already stays. */
export function restoreToDo(ctx: Context): Handler<RestoreToDoRequest, RestoreToDoResponse> {
  return async ({ toDoId }, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const { _id, removedAt, doneAt } = await requireToDo(ctx, workspaceId, toDoId)
    if (removedAt === undefined) return {}
    if (doneAt === undefined) await requireSpace(ctx, workspaceId)
    await ctx.toDos.updateOne({ _id, workspaceId }, { $unset: { removedAt: 1 } })
    return {}
  }
}

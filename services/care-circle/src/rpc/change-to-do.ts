import type { ChangeToDoRequest, ChangeToDoResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'
import { readToDoForm } from '../to-dos/read-form.ts'
import { requireKeptToDo } from '../to-dos/require-to-do.ts'

/** Changes what it says. Who takes care of it, and whether it is done, stays: that may change at the same time. */
export function changeToDo(ctx: Context): Handler<ChangeToDoRequest, ChangeToDoResponse> {
  return async (request, call) => {
    const { lovedOneId, version, toDoId } = request
    const { workspaceId } = await requireMember(ctx, call, { write: true, ...(lovedOneId !== '' && { lovedOneId }) })
    const { text, day } = readToDoForm(request)
    const { _id } = await requireKeptToDo(ctx, workspaceId, toDoId)
    const { matchedCount } = await ctx.toDos.updateOne(
      { _id, workspaceId, version, removedAt: null },
      {
        $set: { text, lovedOneId, editedAt: new Date(), ...(day && { day }) },
        ...(day === undefined && { $unset: { day: 1 } }),
        $inc: { version: 1 },
      },
    )
    if (matchedCount === 1) return {}
    throw new StatusError('FAILED_PRECONDITION', 'Somebody else has just changed this to-do. Look at it again.')
  }
}

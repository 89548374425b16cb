import type { GetToDoRequest, GetToDoResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'
import { requireToDo } from '../to-dos/require-to-do.ts'
import { toWireToDo } from '../to-dos/to-wire-to-do.ts'

export function getToDo(ctx: Context): Handler<GetToDoRequest, GetToDoResponse> {
  return async ({ toDoId }, call) => {
    const { workspaceId } = await requireMember(ctx, call)
    return { toDo: toWireToDo(await requireToDo(ctx, workspaceId, toDoId)) }
  }
}

import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { ToDo } from '../models/to-do.ts'

/** The same error for an unknown one and for another workspace's. Also one that was removed, while it can be put back. */
export async function requireToDo(ctx: Context, workspaceId: string, _id: string): Promise<ToDo> {
  const row = await ctx.toDos.findOne({ _id, workspaceId }).lean()
  if (row) return row
  throw new StatusError('NOT_FOUND', 'There is no such to-do in your family.')
}

/** @throws StatusError FAILED_PRECONDITION for one that was removed */
export async function requireKeptToDo(ctx: Context, workspaceId: string, _id: string): Promise<ToDo> {
  const row = await requireToDo(ctx, workspaceId, _id)
  if (row.removedAt === undefined) return row
  throw new StatusError('FAILED_PRECONDITION', 'Somebody has removed this to-do. Nothing was changed.')
}

import type { ListToDosRequest, ListToDosResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { ToDo } from '../models/to-do.ts'
import { requireMember } from '../require-member.ts'
import { findOpenToDos, type ToDoFilter } from '../to-dos/find-to-dos.ts'
import { toWireToDo } from '../to-dos/to-wire-to-do.ts'

const MOST_DONE = 50

export function listToDos(ctx: Context): Handler<ListToDosRequest, ListToDosResponse> {
  return async ({ lovedOneId, done }, call) => {
    const { workspaceId } = await requireMember(ctx, call, lovedOneId === '' ? {} : { lovedOneId })
    const filter = { workspaceId, lovedOneId }
    const rows = done ? await findDoneToDos(ctx, filter) : await findOpenToDos(ctx, filter)
    return { toDos: rows.map(toWireToDo) }
  }
}

async function findDoneToDos({ toDos }: Context, { workspaceId, lovedOneId }: ToDoFilter): Promise<ToDo[]> {
  const done = { doneAt: { $gt: new Date(0) }, removedAt: null, ...(lovedOneId !== '' && { lovedOneId }) }
  return toDos
    .find({ workspaceId, ...done })
    .sort({ doneAt: -1 })
    .limit(MOST_DONE)
    .lean()
}

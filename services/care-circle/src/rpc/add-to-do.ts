import type { AddToDoRequest, AddToDoResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { ToDo } from '../models/to-do.ts'
import { requireMember } from '../require-member.ts'
import { findAssignee } from '../to-dos/find-assignee.ts'
import { readToDoForm } from '../to-dos/read-form.ts'
import { requireSpace } from '../to-dos/require-space.ts'

/** The id derives from the idempotency key, so a repeated request finds its to-do. */
export function addToDo(ctx: Context): Handler<AddToDoRequest, AddToDoResponse> {
  return async (request, call) => {
    const { lovedOneId, assigneeId } = request
    const { workspaceId, personId } = await requireMember(ctx, call, {
      write: true,
      ...(lovedOneId !== '' && { lovedOneId }),
    })
    const form = readToDoForm(request)
    const message = await readMessage(request, (id) => requireMember(ctx, call, { lovedOneId: id }))
    const key = optionalLine('idempotencyKey', request.idempotencyKey, 200)
    const _id = key === '' ? newId('todo') : deriveId('todo', [workspaceId, personId, key])
    if (assigneeId !== '') await findAssignee(ctx, workspaceId, assigneeId)
    const now = new Date()
    const row: ToDo = {
      ...form,
      _id,
      workspaceId,
      lovedOneId,
      ...(assigneeId === ''
        ? { status: 'open' }
        : { status: 'taken', assigneeId, changedBy: personId, changedAt: now }),
      ...(message && { message }),
      addedBy: personId,
      createdAt: now,
      version: 1,
    }
    if (!(await ctx.toDos.exists({ _id }))) await requireSpace(ctx, workspaceId)
    await insertOnce(ctx.toDos.collection, [row])
    crashPoint('to-do-stored')
    return { toDoId: _id }
  }
}

/** inbox decides who may read the message: here it is only a name. */
async function readMessage(
  { messageId, messageLovedOneId }: AddToDoRequest,
  requireLovedOne: (lovedOneId: string) => Promise<unknown>,
): Promise<ToDo['message'] | undefined> {
  const id = optionalLine('messageId', messageId, 200)
  if (id === '') return undefined
  await requireLovedOne(messageLovedOneId)
  return { lovedOneId: messageLovedOneId, messageId: id }
}

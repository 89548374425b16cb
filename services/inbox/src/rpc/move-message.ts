import type { MoveMessageRequest, MoveMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { moveToInbox } from '../rearranging/move-to-inbox.ts'

/** Moves a message with its conversation to the inbox of another loved one. Owner and coordinators only. */
export function moveMessage(ctx: Context): Handler<MoveMessageRequest, MoveMessageResponse> {
  return async ({ messageId, lovedOneId, toLovedOneId }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    await ctx.requireMember(call, { lovedOneId: toLovedOneId, write: true })
    requirePerson(call)
    const { workspaceId, personId, name } = member
    if (lovedOneId === toLovedOneId) throw invalidArgument('toLovedOneId', 'toLovedOneId must be another loved one.')
    const [from, to] = [
      { workspaceId, lovedOneId },
      { workspaceId, lovedOneId: toLovedOneId },
    ]
    if ((await ctx.inboxAddresses.exists(to)) === null)
      throw invalidArgument('toLovedOneId', 'toLovedOneId must be a loved one with an inbox.')
    const id = newId('rea')
    const messages = await moveToInbox(ctx, { from, to, messageId, by: { id, personId, name } })
    if (messages === 0) await requireMovedThere(ctx, messageRowId(from, messageId), toLovedOneId)
    else
      await ctx.recordAct(member, { act: 'move_to_inbox', message: { messageId, lovedOneId: toLovedOneId }, once: id })
    return { messages }
  }
}

async function requireMovedThere(ctx: Context, rowId: string, toLovedOneId: string): Promise<void> {
  const [moved] = await ctx.findMovedMessages([rowId])
  if (moved === undefined) throw messageNotFound()
  if (moved.toLovedOneId === toLovedOneId) return
  const { movedByName = 'Someone' } = moved
  throw new StatusError('FAILED_PRECONDITION', `${movedByName} has moved this to another inbox. Nothing was changed.`)
}

import type { SetMessageAsideRequest, SetMessageAsideResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { moveAside } from '../deleting/move-aside.ts'
import { requirePlace } from '../deleting/to-wire-aside.ts'
import { conversationOf, type Message, messageNotFound, messageRowId } from '../models/message.ts'

const FIELDS = { workspaceId: 1, lovedOneId: 1, conversationId: 1 } as const

type Row = Pick<Message, '_id' | keyof typeof FIELDS>

/** Moves a message, or its conversation, to Junk or Deleted. Owner and coordinators only. */
export function setMessageAside(ctx: Context): Handler<SetMessageAsideRequest, SetMessageAsideResponse> {
  return async ({ messageId, lovedOneId, place: wire, onlyThis, now: isNow }, call) => {
    const member = await ctx.requireMember(call, { lovedOneId, write: true })
    const { workspaceId, personId, name } = member
    requirePerson(call)
    const place = requirePlace(wire)
    const row = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), FIELDS).lean()
    if (row === null) throw messageNotFound()
    const ids = onlyThis ? [row._id] : await findConversation(ctx, row)
    const isForGood = isNow && place === 'deleted'
    const messages = await moveAside(ctx, ids, { place, by: { personId, name }, isNow: isForGood })
    const act = isForGood ? 'delete_for_good' : (`move_to_${place}` as const)
    if (messages > 0) await ctx.recordAct(member, { act, message: { messageId, lovedOneId } })
    return { messages }
  }
}

/** A message that is not indexed yet is alone. */
async function findConversation(ctx: Context, row: Row): Promise<string[]> {
  const { workspaceId, lovedOneId } = row
  const ids = await ctx.findConversation({ workspaceId, lovedOneId, conversationId: conversationOf(row) })
  return ids.includes(row._id) ? ids : [row._id, ...ids]
}

import type { SetMessageAsideRequest, SetMessageAsideResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { moveAside } from '../deleting/move-aside.ts'
import { requirePlace } from '../deleting/to-wire-aside.ts'
import { findMembers } from '../finding/find-conversations.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'

const FIELDS = { lovedOneId: 1, receivedAt: 1, conversationId: 1 } as const

/** Moves a message, or its conversation, to Junk or Deleted. Owner and coordinators only. */
export function setMessageAside(ctx: Context): Handler<SetMessageAsideRequest, SetMessageAsideResponse> {
  return async ({ messageId, lovedOneId, place: wire, onlyThis, now: isNow }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { lovedOneId, write: true })
    requirePerson(call)
    const place = requirePlace(wire)
    const row = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), FIELDS).lean()
    if (row === null) throw messageNotFound()
    const members = onlyThis ? [row] : await findConversation(ctx, workspaceId, row)
    const ids = members.map(({ _id }) => _id)
    return {
      messages: await moveAside(ctx, ids, { place, by: { personId, name }, isNow: isNow && place === 'deleted' }),
    }
  }
}

async function findConversation(ctx: Context, workspaceId: string, row: Parameters<typeof findMembers>[2][number]) {
  const grouped = await findMembers(ctx, { workspaceId, lovedOneIds: [row.lovedOneId] }, [row])
  return [...grouped.values()].flat().sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime())
}

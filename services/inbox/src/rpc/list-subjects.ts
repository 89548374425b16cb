import type { ListSubjectsRequest, ListSubjectsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { isAssistant } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { messageRowId, publicIdOf } from '../models/message.ts'

const MOST = 100

/** The row id holds the workspace, so messages of other families do not exist. Follows those that were moved to another inbox. */
export function listSubjects(ctx: Context): Handler<ListSubjectsRequest, ListSubjectsResponse> {
  return async ({ messages }, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    if (messages.length > MOST) throw invalidArgument('messages', `messages must be at most ${MOST}.`)
    const ids = messages.map(({ lovedOneId, messageId }) => messageRowId({ workspaceId, lovedOneId }, messageId))
    const moved = isAssistant(requirePrincipal(call)) ? [] : await ctx.findMovedMessages(ids)
    const all = [...ids, ...moved.map(({ messageRowId: there }) => there)]
    const rows = await ctx.messages.find({ _id: { $in: all } }, { subject: 1 }).lean()
    return { subjects: rows.map((row) => ({ messageId: publicIdOf(row), subject: row.subject })) }
  }
}

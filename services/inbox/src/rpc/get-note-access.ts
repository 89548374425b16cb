import type { GetNoteAccessRequest, GetNoteAccessResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { canAssistantsReadNotes } from '../conversations/notes.ts'

export function getNoteAccess(ctx: Context): Handler<GetNoteAccessRequest, GetNoteAccessResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    return { assistantsCanRead: await canAssistantsReadNotes(ctx, workspaceId) }
  }
}

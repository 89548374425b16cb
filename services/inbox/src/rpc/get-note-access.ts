import type { GetNoteAccessRequest, GetNoteAccessResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { readAccess } from '../conversations/notes.ts'

export function getNoteAccess(ctx: Context): Handler<GetNoteAccessRequest, GetNoteAccessResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    const { notes, files } = await readAccess(ctx, workspaceId)
    return { assistantsCanRead: notes, assistantsCanReadFiles: files }
  }
}

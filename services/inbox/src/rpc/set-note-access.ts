import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { SetNoteAccessRequest, SetNoteAccessResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

/** Lets assistants read notes or documents, after a recent sign-in, or stops that from the next call on. Owner only. */
export function setNoteAccess(ctx: Context): Handler<SetNoteAccessRequest, SetNoteAccessResponse> {
  return async ({ assistantsCanRead, assistantsCanReadFiles }, call) => {
    const { workspaceId, role } = await ctx.requireMember(call, { write: true })
    if (role !== Role.OWNER) throw new StatusError('PERMISSION_DENIED', 'Only the owner can change this. Ask them.')
    if (assistantsCanRead || assistantsCanReadFiles) requireRecentSignIn(call)
    const files = assistantsCanReadFiles === undefined ? {} : { assistantsCanReadFiles }
    const changed = { workspaceId, assistantsCanRead, ...files }
    await ctx.noteAccess.updateOne({ _id: workspaceId }, { $set: changed }, { upsert: true })
    return {}
  }
}

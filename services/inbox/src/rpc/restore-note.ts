import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { RestoreNoteRequest, RestoreNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'

/** Puts a deleted note back for its author or the owner. One that is back already stays. */
export function restoreNote(ctx: Context): Handler<RestoreNoteRequest, RestoreNoteResponse> {
  return async ({ noteId }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    requirePerson(call)
    const own = { _id: noteId, workspaceId, ...(role !== Role.OWNER && { personId }) }
    const deleted = await ctx.deletedNotes.findOne(own).lean()
    if (deleted === null) {
      if (await ctx.notes.exists(own)) return {}
      throw new StatusError('NOT_FOUND', 'This note was deleted for good or never existed.')
    }
    await insertOnce(ctx.notes.collection, [deleted.note])
    await ctx.deletedNotes.deleteOne({ _id: noteId, workspaceId })
    ctx.liveUpdates.announce(workspaceId, { lovedOneId: deleted.lovedOneId })
    return {}
  }
}

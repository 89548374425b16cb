import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { DeleteNoteRequest, DeleteNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'

/** Deletes a note for its author or the owner. A note of another workspace is not found. */
export function deleteNote(ctx: Context): Handler<DeleteNoteRequest, DeleteNoteResponse> {
  return async ({ noteId }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    requirePerson(call)
    const note = await ctx.notes.findOne({ _id: noteId, workspaceId }, { personId: 1, lovedOneId: 1 }).lean()
    if (note === null) throw new StatusError('NOT_FOUND', 'This note was deleted or never existed.')
    if (note.personId !== personId && role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only its author and the owner can delete a note.')
    await ctx.notes.deleteOne({ _id: noteId, workspaceId })
    ctx.liveUpdates.announce(workspaceId, { lovedOneId: note.lovedOneId })
    return {}
  }
}

import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { DeleteNoteRequest, DeleteNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { KEPT_MS } from '../models/message-aside.ts'

/** Deletes a note for its author or the owner. A note of another workspace is not found. */
export function deleteNote(ctx: Context): Handler<DeleteNoteRequest, DeleteNoteResponse> {
  return async ({ noteId }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    requirePerson(call)
    const note = await ctx.notes.findOne({ _id: noteId, workspaceId }).lean()
    if (note === null) throw new StatusError('NOT_FOUND', 'This note was deleted or never existed.')
    if (note.personId !== personId && role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only its author and the owner can delete a note.')
    const { _id, lovedOneId, messageRowId } = note
    const deletedAt = new Date()
    const purgeAt = new Date(deletedAt.getTime() + KEPT_MS)
    const row = { _id, workspaceId, lovedOneId, messageRowId, personId: note.personId, deletedAt, purgeAt, note }
    await insertOnce(ctx.deletedNotes.collection, [row])
    await ctx.notes.deleteOne({ _id, workspaceId })
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    return {}
  }
}

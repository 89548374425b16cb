import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { DeleteNoteRequest, DeleteNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { KEPT_MS } from '../models/message-aside.ts'
import type { Note } from '../models/note.ts'

/** Deletes a note for its author or the owner. A note of another workspace is not found. */
export function deleteNote(ctx: Context): Handler<DeleteNoteRequest, DeleteNoteResponse> {
  return async ({ noteId }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    requirePerson(call)
    const note = await ctx.notes.findOne({ _id: noteId, workspaceId }).lean()
    if (note === null) throw new StatusError('NOT_FOUND', 'This note was deleted or never existed.')
    if (note.personId !== personId && role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only its author and the owner can delete a note.')
    await setAside(ctx, note)
    ctx.liveUpdates.announce(workspaceId, { lovedOneId: note.lovedOneId })
    return {}
  }
}

/** In one transaction: whoever puts it back at the same moment would otherwise delete what is kept of it. */
function setAside({ connection, notes, deletedNotes, seal }: Context, { _id, workspaceId }: Note): Promise<void> {
  return connection.transaction(async (session) => {
    const note = await notes.findOneAndDelete({ _id, workspaceId }, { session }).lean()
    if (note === null) return
    const { lovedOneId, messageRowId, personId } = note
    const deletedAt = new Date()
    const purgeAt = new Date(deletedAt.getTime() + KEPT_MS)
    const row = { workspaceId, lovedOneId, messageRowId, personId, deletedAt, purgeAt, note }
    await deletedNotes.replaceOne({ _id }, await seal(deletedNotes, workspaceId, row), { upsert: true, session })
  })
}

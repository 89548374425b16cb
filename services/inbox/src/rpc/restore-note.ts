import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { RestoreNoteRequest, RestoreNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import type { Note } from '../models/note.ts'

/** Puts a deleted note back for its author or the owner. One that is back already stays. */
export function restoreNote(ctx: Context): Handler<RestoreNoteRequest, RestoreNoteResponse> {
  return async ({ noteId }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    requirePerson(call)
    const own = { _id: noteId, workspaceId, ...(role !== Role.OWNER && { personId }) }
    const restored = await putBack(ctx, own)
    if (restored !== undefined) ctx.liveUpdates.announce(workspaceId, { lovedOneId: restored.lovedOneId })
    else if (!(await ctx.notes.exists(own)))
      throw new StatusError('NOT_FOUND', 'This note was deleted for good or never existed.')
    return {}
  }
}

/** In one transaction: whoever deletes it again at the same moment would otherwise leave nothing of it. */
function putBack(
  { connection, notes, deletedNotes, seal }: Context,
  own: { _id: string; workspaceId: string },
): Promise<Note | undefined> {
  return connection.transaction(async (session) => {
    const deleted = await deletedNotes.findOneAndDelete(own, { session }).lean()
    if (deleted === null) return undefined
    const { _id, ...note } = await seal(notes, own.workspaceId, deleted.note)
    await notes.updateOne({ _id }, { $setOnInsert: note }, { upsert: true, session })
    return deleted.note
  })
}

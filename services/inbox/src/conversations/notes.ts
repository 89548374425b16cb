import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Note } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import type { Note as StoredNote } from '../models/note.ts'

const MAX_SHOWN = 200

/** The notes on these messages, oldest first. For members only: nothing that leaves the family may call it. */
export async function findNotes({ notes }: Pick<Context, 'notes'>, messageRowIds: string[]): Promise<Note[]> {
  const rows = await notes
    .find({ messageRowId: { $in: messageRowIds } })
    .sort({ createdAt: 1 })
    .limit(MAX_SHOWN)
    .lean()
  return rows.map(toWireNote)
}

/** Those of these messages that the reader can put back, deleted last first: their own, and for the owner all. */
export async function findDeletedNotes(
  { deletedNotes }: Pick<Context, 'deletedNotes'>,
  messageRowIds: string[],
  { personId, role }: Pick<Membership, 'personId' | 'role'>,
): Promise<Note[]> {
  const rows = await deletedNotes
    .find({ messageRowId: { $in: messageRowIds }, ...(role !== Role.OWNER && { personId }) })
    .sort({ deletedAt: -1 })
    .limit(MAX_SHOWN)
    .lean()
  return rows.map(({ note }) => toWireNote(note))
}

function toWireNote({ _id, personId, name, text, createdAt }: StoredNote): Note {
  return { id: _id, personId, name, text, createdAt }
}

/** What assistants may read beside mail: off until the owner allows it. */
export async function readAccess(
  { findNoteAccess }: Pick<Context, 'findNoteAccess'>,
  workspaceId: string,
): Promise<{ notes: boolean; files: boolean }> {
  const [access] = await findNoteAccess([workspaceId])
  return { notes: access?.assistantsCanRead ?? false, files: access?.assistantsCanReadFiles ?? false }
}

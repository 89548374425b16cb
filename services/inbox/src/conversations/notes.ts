import type { Note } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'

const MAX_SHOWN = 200

/** The notes on these messages, oldest first. For members only: nothing that leaves the family may call it. */
export async function findNotes({ notes }: Pick<Context, 'notes'>, messageRowIds: string[]): Promise<Note[]> {
  const rows = await notes
    .find({ messageRowId: { $in: messageRowIds } })
    .sort({ createdAt: 1 })
    .limit(MAX_SHOWN)
    .lean()
  return rows.map(({ _id, personId, name, text, createdAt }) => ({ id: _id, personId, name, text, createdAt }))
}

/** What assistants may read beside mail: off until the owner allows it. */
export async function readAccess(
  { findNoteAccess }: Pick<Context, 'findNoteAccess'>,
  workspaceId: string,
): Promise<{ notes: boolean; files: boolean }> {
  const [access] = await findNoteAccess([workspaceId])
  return { notes: access?.assistantsCanRead ?? false, files: access?.assistantsCanReadFiles ?? false }
}

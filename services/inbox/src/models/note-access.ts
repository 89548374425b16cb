import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** Whether a workspace lets assistants read notes. Without a row, it does not. */
export type NoteAccess = { _id: string; workspaceId: string; assistantsCanRead: boolean }

const schema = rowSchema<NoteAccess>(
  'note_access',
  { _id: String, workspaceId: String, assistantsCanRead: Boolean },
  { workspaceId: 'field' },
)
schema.index({ workspaceId: 1 })

export function noteAccessModel(connection: Connection) {
  return connection.model('NoteAccess', schema)
}

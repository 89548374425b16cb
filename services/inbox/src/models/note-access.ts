import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** What a workspace lets assistants read beside mail: its notes, and what attached documents say. Without a row, nothing. */
export type NoteAccess = {
  _id: string
  workspaceId: string
  assistantsCanRead: boolean
  assistantsCanReadFiles?: boolean
}

const schema = rowSchema<NoteAccess>(
  'note_access',
  { _id: String, workspaceId: String, assistantsCanRead: Boolean, assistantsCanReadFiles: Boolean },
  { workspaceId: 'field' },
  { shardKey: { _id: 1 } },
)
schema.index({ workspaceId: 1 })

export function noteAccessModel(connection: Connection) {
  return connection.model('NoteAccess', schema)
}

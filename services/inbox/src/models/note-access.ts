import { type Connection, Schema } from 'mongoose'

/** Whether a workspace lets assistants read notes. Without a row, it does not. */
export type NoteAccess = { _id: string; workspaceId: string; assistantsCanRead: boolean }

const schema = new Schema<NoteAccess>(
  { _id: String, workspaceId: String, assistantsCanRead: Boolean },
  { versionKey: false, collection: 'note_access' },
)
schema.index({ workspaceId: 1 })

export function noteAccessModel(connection: Connection) {
  return connection.model('NoteAccess', schema)
}

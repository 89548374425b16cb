import { type Connection, Schema } from 'mongoose'

type StoppedWorkspace = { _id: string; stoppedAt: Date }

const schema = new Schema<StoppedWorkspace>(
  { _id: String, stoppedAt: Date },
  { versionKey: false, collection: 'stopped_workspaces' },
)

export function stoppedWorkspaceModel(connection: Connection) {
  return connection.model('StoppedWorkspace', schema)
}

import { type Connection, Schema } from 'mongoose'

/** A workspace the operator has stopped from sending replies and invitations. */
type StoppedWorkspace = { _id: string; stoppedAt: Date }

const schema = new Schema<StoppedWorkspace>(
  { _id: String, stoppedAt: Date },
  { versionKey: false, collection: 'stopped_workspaces' },
)

export function stoppedWorkspaceModel(connection: Connection) {
  return connection.model('StoppedWorkspace', schema)
}

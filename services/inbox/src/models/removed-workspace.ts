import { type Connection, Schema } from 'mongoose'

/** A deleted workspace: its queued mail is not sent. */
type RemovedWorkspace = { _id: string; removedAt: Date }

/** Longer than the queue retries. */
const KEPT_SEC = 30 * 24 * 60 * 60

const schema = new Schema<RemovedWorkspace>(
  { _id: String, removedAt: Date },
  { versionKey: false, collection: 'removed_workspaces' },
)
schema.index({ removedAt: 1 }, { expireAfterSeconds: KEPT_SEC })

export function removedWorkspaceModel(connection: Connection) {
  return connection.model('RemovedWorkspace', schema)
}

import { type Connection, Schema } from 'mongoose'

/** A household that was deleted: mail of its that is still waiting to be sent is not sent any more. */
export type RemovedWorkspace = { _id: string; removedAt: Date }

/** Longer than any mail is tried. */
const KEPT_SEC = 30 * 24 * 60 * 60

const schema = new Schema<RemovedWorkspace>(
  { _id: String, removedAt: Date },
  { versionKey: false, collection: 'removed_workspaces' },
)
schema.index({ removedAt: 1 }, { expireAfterSeconds: KEPT_SEC })

export function removedWorkspaceModel(connection: Connection) {
  return connection.model('RemovedWorkspace', schema)
}

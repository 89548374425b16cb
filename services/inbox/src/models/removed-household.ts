import { type Connection, Schema } from 'mongoose'

/** A household that was deleted: mail of its that is still waiting to be sent is not sent any more. */
export type RemovedHousehold = { _id: string; removedAt: Date }

/** Longer than any mail is tried. */
const KEPT_SEC = 30 * 24 * 60 * 60

const schema = new Schema<RemovedHousehold>(
  { _id: String, removedAt: Date },
  { versionKey: false, collection: 'removed_households' },
)
schema.index({ removedAt: 1 }, { expireAfterSeconds: KEPT_SEC })

export function removedHouseholdModel(connection: Connection) {
  return connection.model('RemovedHousehold', schema)
}

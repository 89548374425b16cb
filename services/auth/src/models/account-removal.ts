import { type Connection, Schema } from 'mongoose'

/** An account that its person wants deleted, from before the first thing is done until the last is. */
export type AccountRemoval = {
  /** The id of the person. */
  _id: string
  email: string
  /** When the sweeper goes on with it. */
  dueAt: Date
}

const schema = new Schema<AccountRemoval>(
  { _id: String, email: String, dueAt: Date },
  { versionKey: false, collection: 'account_removals' },
)
schema.index({ dueAt: 1 })

export function accountRemovalModel(connection: Connection) {
  return connection.model('AccountRemoval', schema)
}

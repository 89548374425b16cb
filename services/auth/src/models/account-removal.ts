import { type Connection, Schema } from 'mongoose'

/** The row exists from the request until the last step is done. */
export type AccountRemoval = {
  _id: string
  email: string
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

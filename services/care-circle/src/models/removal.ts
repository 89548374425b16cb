import { type Connection, Schema } from 'mongoose'

/** A household that was deleted, until every service is certain to hear of it. */
export type Removal = {
  /** The id of the workspace. */
  _id: string
  /** When the sweeper says it again. */
  dueAt: Date
}

const schema = new Schema<Removal>({ _id: String, dueAt: Date }, { versionKey: false, collection: 'removals' })
schema.index({ dueAt: 1 })

export function removalModel(connection: Connection) {
  return connection.model('Removal', schema)
}

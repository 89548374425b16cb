import { type Connection, Schema } from 'mongoose'

/** Kept permanently, so that late events are recognized. */
type PurgedLink = {
  _id: string
  purgedAt: Date
  eventsDeleted: number
  /** Absent while events remain. */
  doneAt?: Date
}

const schema = new Schema<PurgedLink>(
  { _id: String, purgedAt: Date, eventsDeleted: Number, doneAt: Date },
  { versionKey: false, collection: 'purged_links' },
)
schema.index({ doneAt: 1 })

export function purgedLinkModel(connection: Connection) {
  return connection.model('PurgedLink', schema)
}

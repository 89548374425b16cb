import { type Connection, Schema } from 'mongoose'

/** A link whose events are gone for good. Kept for ever: by it a late event is known. */
export type PurgedLink = {
  _id: string
  purgedAt: Date
  /** How many events the purge has deleted so far. */
  eventsDeleted: number
  /** Absent while there is something left to delete. */
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

import { type Connection, Schema } from 'mongoose'

/**
 * An accepted event. The row outlives everything: a purge takes what the event said and leaves what it is recognised by, so
 * that it can never come again.
 */
export type EventRow = {
  /** The event id, which follows from the institution and its own id of the event. */
  _id: string
  /** Recognises the same bytes. Absent for an event whose own id is part of what was signed. */
  bodyKey?: string
  linkId?: string
  /** What was signed, byte for byte. */
  body?: Uint8Array
  receivedAt?: Date
  /** When it was accepted, until it is known to be in the stream. */
  unpublishedSince?: Date
}

const schema = new Schema<EventRow>(
  { _id: String, bodyKey: String, linkId: String, body: Buffer, receivedAt: Date, unpublishedSince: Date },
  { versionKey: false, collection: 'events' },
)
schema.index({ bodyKey: 1 }, { unique: true, partialFilterExpression: { bodyKey: { $exists: true } } })
schema.index({ linkId: 1 }, { sparse: true })
schema.index({ unpublishedSince: 1 }, { sparse: true })

export function eventModel(connection: Connection) {
  return connection.model('Event', schema)
}

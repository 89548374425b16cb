import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A purge deletes its content but keeps its keys, so that it is never accepted again. */
export type EventRow = {
  _id: string
  /** Hash of the bytes. Absent when the event id is part of the signed body. */
  bodyKey?: string
  linkId?: string
  body?: Uint8Array
  receivedAt?: Date
  /** Acceptance time, until it is known to be in the stream. */
  unpublishedSince?: Date
}

const schema = rowSchema<EventRow>(
  'events',
  {
    _id: String,
    bodyKey: String,
    linkId: String,
    body: Buffer,
    receivedAt: Date,
    unpublishedSince: Date,
  },
  {},
  { global: 'an event is accepted once, whichever workspace it belongs to', rowsPerWorkspace: 75, rowBytes: 900 },
)
schema.index({ bodyKey: 1 }, { unique: true, partialFilterExpression: { bodyKey: { $exists: true } } })
schema.index({ linkId: 1 }, { sparse: true })
schema.index({ unpublishedSince: 1 }, { sparse: true })
schema.index({ receivedAt: 1 }, { sparse: true })

export function eventModel(connection: Connection) {
  return connection.model('Event', schema)
}

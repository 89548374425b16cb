import type { CareEvent as WireCareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Connection, Schema } from 'mongoose'

/** What a family sees of an event besides its type and times. */
export type CareEventDetails = Omit<WireCareEvent, 'id' | 'eventType' | 'occurredAt' | 'receivedAt' | 'source'>

/** Something that happened to a loved one, as a care agency reported it: only what a family may see is kept of it. */
export type CareEvent = {
  /** The pipe's event id, so that the same event is the same row. */
  _id: string
  workspaceId: string
  lovedOneId: string
  /** The subject link it came through. A link belongs to one loved one. */
  linkId: string
  eventType: string
  occurredAt: Date
  receivedAt: Date
  /** Absent when there is nothing to show, as of a type we do not know. */
  details?: CareEventDetails
}

/** Each page is read link by link and merged, so that links that do not share now cost nothing. A purge goes by link too. */
export const BY_TIME = { linkId: 1, occurredAt: -1, receivedAt: -1, _id: -1 } as const
/** The same for some types only. By its beginning a household's events are found, to remove them. */
export const BY_TYPE = { workspaceId: 1, linkId: 1, eventType: 1, occurredAt: -1, receivedAt: -1, _id: -1 } as const

const schema = new Schema<CareEvent>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    linkId: String,
    eventType: String,
    occurredAt: Date,
    receivedAt: Date,
    details: Schema.Types.Mixed,
  },
  { versionKey: false, collection: 'care_events' },
)
schema.index(BY_TIME)
schema.index(BY_TYPE)

export function careEventModel(connection: Connection) {
  return connection.model('CareEvent', schema)
}

import type { CareEvent as WireCareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

export type CareEventDetails = Omit<
  WireCareEvent,
  'id' | 'eventType' | 'occurredAt' | 'receivedAt' | 'source' | 'urgent' | 'takenBy'
>

export type CareEvent = {
  /** The pipe's event id, so a repeated event is the same row. */
  _id: string
  workspaceId: string
  lovedOneId: string
  linkId: string
  eventType: string
  occurredAt: Date
  receivedAt: Date
  details?: CareEventDetails
  /** Its type named an emergency when it was stored. */
  urgent?: true
  /** The member who takes care of it, if it is urgent. */
  taken?: { personId: string; eventId: string; at: Date }
  /** Set while members have no mail about it: since when, and when to look again. */
  urgentMail?: { since: Date; dueAt: Date }
}

/** Pages are read per link and merged, so that links that do not share cost nothing. Purges use it too. */
export const BY_TIME = { linkId: 1, occurredAt: -1, receivedAt: -1, _id: -1 } as const
/** For queries by type. Its prefix also finds a workspace's events for removal. */
export const BY_TYPE = { workspaceId: 1, linkId: 1, eventType: 1, occurredAt: -1, receivedAt: -1, _id: -1 } as const

const schema = rowSchema<CareEvent>(
  'care_events',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    linkId: String,
    eventType: String,
    occurredAt: Date,
    receivedAt: Date,
    details: Schema.Types.Mixed,
    urgent: Boolean,
    taken: Schema.Types.Mixed,
    urgentMail: Schema.Types.Mixed,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index(BY_TIME)
schema.index(BY_TYPE)
schema.index({ workspaceId: 1, lovedOneId: 1, occurredAt: -1 }, { partialFilterExpression: { urgent: true } })
schema.index({ 'urgentMail.dueAt': 1 }, { sparse: true })
schema.index(
  { lovedOneId: 1, 'urgentMail.since': 1 },
  { partialFilterExpression: { 'urgentMail.since': { $exists: true } } },
)

export function careEventModel(connection: Connection) {
  return connection.model('CareEvent', schema)
}

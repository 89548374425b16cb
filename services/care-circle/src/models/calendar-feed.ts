import { createHash } from 'node:crypto'
import type { CalendarFeed as WireCalendarFeed } from '@family-inbox/proto/carecircle/v1/care_circle'
import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A private address that calendar programs read. */
export type CalendarFeed = {
  _id: string
  workspaceId: string
  personId: string
  /** It belongs to one membership and ends with it. */
  memberSince: Date
  /** Empty for all. */
  lovedOneId: string
  withDetails: boolean
  tokenHash: string
  createdAt: Date
  /** Absent once the mails about it are queued. */
  mailDueAt?: Date
  readAt?: Date
  /** Kept for a while: a repeated request must not bring its address back. */
  revokedAt?: Date
}

const schema = rowSchema<CalendarFeed>(
  'calendar_feeds',
  {
    _id: String,
    workspaceId: String,
    personId: String,
    memberSince: Date,
    lovedOneId: String,
    withDetails: Boolean,
    tokenHash: String,
    createdAt: Date,
    mailDueAt: Date,
    readAt: Date,
    revokedAt: Date,
  },
  { workspaceId: 'field', personId: 'apart' },
  {
    global: 'an address is looked up before its workspace is known',
    shardKey: { tokenHash: 1 },
    rowsPerWorkspace: 0.5,
    rowBytes: 350,
  },
)
schema.index({ tokenHash: 1 }, { unique: true })
schema.index({ workspaceId: 1, personId: 1, createdAt: 1 })
schema.index({ mailDueAt: 1 }, { sparse: true })
schema.index({ revokedAt: 1 }, expiresAfter(365))

export function calendarFeedModel(connection: Connection) {
  return connection.model('CalendarFeed', schema)
}

export function hashFeedToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function feedToWire({ _id, lovedOneId, withDetails, createdAt, readAt }: CalendarFeed): WireCalendarFeed {
  return { id: _id, lovedOneId, withDetails, createdAt, readAt }
}

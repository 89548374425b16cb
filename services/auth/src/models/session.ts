import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export const SESSION_IDLE_MS = 30 * DAY_MS
export const SESSION_LIFETIME_MS = 180 * DAY_MS

export type Session = {
  _id: string
  hash: string
  personId: string
  email: string
  /** The selected workspace; empty for none. */
  workspaceId: string
  userAgent: string
  createdAt: Date
  verifiedAt?: Date
  /** When a passkey last proved who they are. */
  passkeyAt?: Date
  lastUsedAt: Date
  /** Extended with each use, up to `endsAt`. */
  expiresAt: Date
  endsAt: Date
  revokedAt?: Date
  calls: Date[]
}

const schema = rowSchema<Session>(
  'sessions',
  {
    _id: String,
    hash: String,
    personId: String,
    email: String,
    workspaceId: String,
    userAgent: String,
    createdAt: Date,
    verifiedAt: Date,
    passkeyAt: Date,
    lastUsedAt: Date,
    expiresAt: Date,
    endsAt: Date,
    revokedAt: Date,
    calls: [Date],
  },
  { personId: 'field', workspaceId: 'apart' },
  {
    global: 'a cookie is looked up before its workspace is known',
    shardKey: { hash: 1 },
    rowsPerWorkspace: 5,
    rowBytes: 600,
  },
)
schema.index({ hash: 1 }, { unique: true })
schema.index({ personId: 1, createdAt: -1, _id: -1 })
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 })

export function sessionModel(connection: Connection) {
  return connection.model('Session', schema)
}

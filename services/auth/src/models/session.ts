import { type Connection, Schema } from 'mongoose'

/** A browser somebody is signed in with. */
export type Session = {
  _id: string
  /** SHA-256 of the secret in the cookie, hex. The secret itself is nowhere. */
  hash: string
  personId: string
  /** The email that was proved at sign-in. */
  email: string
  /** The household the person is looking at; empty while none is chosen. */
  workspaceId: string
  /** The browser and the system in a few words. */
  userAgent: string
  createdAt: Date
  /** When the person last confirmed that it is them; absent when they have not since they signed in. */
  verifiedAt?: Date
  lastUsedAt: Date
  /** Moves on with each use. */
  expiresAt: Date
  /** Does not move. */
  endsAt: Date
  revokedAt?: Date
  /** When its latest calls were admitted, oldest first; never more than the limit of calls a minute. */
  calls: Date[]
}

const schema = new Schema<Session>(
  {
    _id: String,
    hash: String,
    personId: String,
    email: String,
    workspaceId: String,
    userAgent: String,
    createdAt: Date,
    verifiedAt: Date,
    lastUsedAt: Date,
    expiresAt: Date,
    endsAt: Date,
    revokedAt: Date,
    calls: [Date],
  },
  { versionKey: false, collection: 'sessions' },
)
schema.index({ hash: 1 }, { unique: true })
schema.index({ personId: 1, createdAt: -1, _id: -1 })
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 })

export function sessionModel(connection: Connection) {
  return connection.model('Session', schema)
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A session ends when it was not used for so long, */
export const SESSION_IDLE_MS = 30 * DAY_MS
/** and after so long in any case. */
export const SESSION_LIFETIME_MS = 180 * DAY_MS

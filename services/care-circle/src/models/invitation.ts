import { createHash } from 'node:crypto'
import type { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Connection, Schema } from 'mongoose'

/** A place kept in a household for whoever proves the invited email. */
export type Invitation = {
  _id: string
  workspaceId: string
  email: string
  role: Role
  relationship: string
  /** A few words from the inviter, empty for none. */
  message: string
  /** The member whose invitation it is: who invited, or who sent it again last. */
  invitedBy: string
  /** Pending until it is answered or `expiresAt` has passed; `expired` is written only when somebody is invited anew. */
  state: 'pending' | 'accepted' | 'cancelled' | 'expired'
  /** How many mails were made for it, the last of which holds the valid token. */
  sendNumber: number
  /** SHA-256 of that token, hex. The token itself is only in the mail's link. */
  tokenHash: string
  /** When the sweeper takes the last mail up. Absent once that mail is durably queued. */
  mailDueAt?: Date
  idempotencyKey?: string
  acceptedBy?: string
  createdAt: Date
  expiresAt: Date
}

/** How long after its end an invitation is kept: it answers repeated requests, and then the address is forgotten. */
const KEPT_AFTER_END_SEC = 30 * 24 * 60 * 60

const schema = new Schema<Invitation>(
  {
    _id: String,
    workspaceId: String,
    email: String,
    role: String,
    relationship: String,
    message: String,
    invitedBy: String,
    state: String,
    sendNumber: Number,
    tokenHash: String,
    mailDueAt: Date,
    idempotencyKey: String,
    acceptedBy: String,
    createdAt: Date,
    expiresAt: Date,
  },
  { versionKey: false, collection: 'invitations' },
)
schema.index({ tokenHash: 1 }, { unique: true })
schema.index({ email: 1, workspaceId: 1 }, { unique: true, partialFilterExpression: { state: 'pending' } })
schema.index(
  { workspaceId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)
schema.index({ workspaceId: 1, createdAt: 1 })
schema.index({ mailDueAt: 1 }, { sparse: true })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_END_SEC })

export function invitationModel(connection: Connection) {
  return connection.model('Invitation', schema)
}

export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

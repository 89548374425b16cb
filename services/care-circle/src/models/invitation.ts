import { createHash } from 'node:crypto'
import type { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Invitation = {
  _id: string
  workspaceId: string
  email: string
  role: Role
  relationship: string
  message: string
  invitedBy: string
  /** `expired` is written only when the person is invited again; `expiresAt` decides until then. */
  state: 'pending' | 'accepted' | 'canceled' | 'expired'
  /** The mail with this number holds the valid token. */
  sendNumber: number
  tokenHash: string
  /** Absent once the mail is queued. */
  mailDueAt?: Date
  /** A keyed hash of where it was asked for, until the mail is queued. */
  network?: string
  idempotencyKey?: string
  acceptedBy?: string
  createdAt: Date
  expiresAt: Date
}

/** Answers repeated requests; then the address is deleted. */
const KEPT_AFTER_END_SEC = 30 * DAY_SEC

const schema = rowSchema<Invitation>(
  'invitations',
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
    network: String,
    idempotencyKey: String,
    acceptedBy: String,
    createdAt: Date,
    expiresAt: Date,
  },
  { workspaceId: 'field' },
  {
    global: 'a token and an email address are looked up before the workspace is known',
    rowsPerWorkspace: 0.5,
    rowBytes: 500,
  },
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

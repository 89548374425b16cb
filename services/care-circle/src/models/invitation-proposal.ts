import type { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { PROPOSAL_KEPT_AFTER_END_SEC, type Proposal } from '@family-inbox/workspace-kit/proposals'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** An invitation that an assistant wrote and that is mailed when a member approves it. */
export type InvitationProposal = Proposal & {
  email: string
  role: Role
  relationship: string
  /** As the assistant wrote it, or as the member who approved it did. */
  message: string
  invitationId?: string
  /** Absent once inbox knows of it (proposals/announce-proposals.ts). */
  announceDueAt?: Date
}

export function newInvitationProposalId(): string {
  return newId('invp')
}

const schema = rowSchema<InvitationProposal>(
  'invitation_proposals',
  {
    _id: String,
    workspaceId: String,
    personId: String,
    name: String,
    assistant: String,
    email: String,
    role: String,
    relationship: String,
    message: String,
    idempotencyKey: String,
    requestHash: String,
    state: String,
    createdAt: Date,
    expiresAt: Date,
    decidedBy: String,
    decidedByName: String,
    decidedAt: Date,
    invitationId: String,
    guardMark: String,
    announceDueAt: Date,
  },
  { workspaceId: 'field', personId: 'apart' },
  { shardKey: { workspaceId: 1 } },
)
schema.index(
  { workspaceId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)
// Each address has at most one open proposal: whoever else proposes it finds this one.
schema.index({ workspaceId: 1, email: 1 }, { unique: true, partialFilterExpression: { state: 'waiting' } })
schema.index({ workspaceId: 1, state: 1, createdAt: -1 })
schema.index({ decidedAt: 1 }, { partialFilterExpression: { state: 'approved' } })
schema.index({ announceDueAt: 1 }, { sparse: true })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: PROPOSAL_KEPT_AFTER_END_SEC })

export function invitationProposalModel(connection: Connection) {
  return connection.model('InvitationProposal', schema)
}

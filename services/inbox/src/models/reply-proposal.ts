import { newId } from '@family-inbox/service-kit/ids/ids'
import { PROPOSAL_KEPT_AFTER_END_SEC, type Proposal } from '@family-inbox/workspace-kit/proposals'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'

/** A reply that an assistant wrote and that is sent when a member approves it. */
export type ReplyProposal = Proposal & {
  lovedOneId: string
  messageRowId: string
  to: string
  /** As the assistant wrote it, or as the member who approved it did. */
  body: string
  derivedKey?: string
  /** Decided with the approval, so that every attempt stores the same reply. */
  footer?: string
  disclosed?: boolean
  replyId?: string
}

export function newProposalId(): string {
  return newId('prop')
}

const schema = rowSchema<ReplyProposal>(
  'reply_proposals',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    personId: String,
    name: String,
    assistant: String,
    to: String,
    body: SEALED,
    idempotencyKey: String,
    derivedKey: String,
    requestHash: String,
    state: String,
    createdAt: Date,
    expiresAt: Date,
    decidedBy: String,
    decidedByName: String,
    decidedAt: Date,
    footer: String,
    disclosed: Boolean,
    replyId: String,
    guardMark: String,
  },
  { workspaceId: 'field', personId: 'field', messageRowId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index(
  { workspaceId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)
schema.index(
  { workspaceId: 1, derivedKey: 1 },
  { unique: true, partialFilterExpression: { derivedKey: { $exists: true } } },
)
schema.index({ workspaceId: 1, state: 1, createdAt: -1 })
schema.index({ messageRowId: 1, personId: 1, createdAt: -1 })
schema.index({ personId: 1 })
schema.index({ decidedAt: 1 }, { partialFilterExpression: { state: 'approved' } })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: PROPOSAL_KEPT_AFTER_END_SEC })

export function replyProposalModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'ReplyProposal', schema, keys)
}

import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** `creating`: records may be missing. `claiming`: care-circle knows the result. `removing`: nobody can claim it. */
export type SandboxState = 'creating' | 'open' | 'claiming' | 'claimed' | 'removing'

/** A workspace created by an agent without credentials. The row exists before its first record and after its last. */
export type Sandbox = {
  _id: string
  state: SandboxState
  lovedOneId: string
  lovedOneName: string
  familyName: string
  /** The name after a claim: the one supplied, or the generated one without "(sandbox)". */
  workspaceName: string
  /** Folded for comparison. Absent: nobody may claim it. */
  claimEmail?: string
  careContext: string
  inviteDrafts: string[]
  inboxAddress?: string
  claimedBy?: string
  createdAt: Date
  expiresAt: Date
  dueAt?: Date
  deleteAt?: Date
}

const schema = rowSchema<Sandbox>(
  'sandboxes',
  {
    _id: String,
    state: String,
    lovedOneId: String,
    lovedOneName: String,
    familyName: String,
    workspaceName: String,
    claimEmail: String,
    careContext: String,
    inviteDrafts: { type: [String], default: undefined },
    inboxAddress: String,
    claimedBy: String,
    createdAt: Date,
    expiresAt: Date,
    dueAt: Date,
    deleteAt: Date,
  },
  { workspaceId: 'apart' },
  { shardKey: { _id: 1 } },
)
schema.index({ claimEmail: 1, createdAt: -1 }, { partialFilterExpression: { claimEmail: { $exists: true } } })
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ deleteAt: 1 }, { expireAfterSeconds: 0 })

export function sandboxModel(connection: Connection) {
  return connection.model('Sandbox', schema)
}

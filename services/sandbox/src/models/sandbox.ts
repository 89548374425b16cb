import { type Connection, Schema } from 'mongoose'

/**
 * - `creating`: some of its records may be missing
 * - `open`: the agent has its result, and nobody has claimed it
 * - `claiming`: a claim is in progress; care-circle knows whether it succeeded
 * - `claimed`: an ordinary workspace now; personal data here is deleted
 * - `removing`: nobody can claim it, and its records are being deleted
 */
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
  /** When the sweeper handles it next. Absent once claimed. */
  dueAt?: Date
  /** When the row of a claimed sandbox expires. */
  deleteAt?: Date
}

const schema = new Schema<Sandbox>(
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
  { versionKey: false, collection: 'sandboxes' },
)
schema.index({ claimEmail: 1, createdAt: -1 }, { partialFilterExpression: { claimEmail: { $exists: true } } })
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ deleteAt: 1 }, { expireAfterSeconds: 0 })

export function sandboxModel(connection: Connection) {
  return connection.model('Sandbox', schema)
}

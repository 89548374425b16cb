import { type Connection, Schema } from 'mongoose'

/**
 * - `making`: its records may be half there
 * - `open`: the agent has its answer, and nobody has claimed it
 * - `claiming`: somebody is taking it; care-circle knows whether it is theirs already
 * - `claimed`: a household like any other. What was personal here is gone
 * - `removing`: nobody can claim it any more, and its records go
 */
export type SandboxState = 'making' | 'open' | 'claiming' | 'claimed' | 'removing'

/** A workspace an agent without credentials opened, from before its first record is made until its last is gone. */
export type Sandbox = {
  /** The id of the workspace. */
  _id: string
  state: SandboxState
  lovedOneId: string
  lovedOneName: string
  familyName: string
  /** The name to keep when it is claimed: the one supplied, or the one made up without the word sandbox. */
  workspaceName: string
  /** Who may claim it, as addresses are compared. Absent: nobody. */
  claimEmail?: string
  careContext: string
  inviteDrafts: string[]
  /** Set once it is open. */
  inboxAddress?: string
  /** The person who took it. */
  claimedBy?: string
  createdAt: Date
  expiresAt: Date
  /** When the sweeper takes it up. Absent once it is claimed. */
  dueAt?: Date
  /** When a claimed one is forgotten here. */
  forgetAt?: Date
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
    forgetAt: Date,
  },
  { versionKey: false, collection: 'sandboxes' },
)
schema.index({ claimEmail: 1, createdAt: -1 }, { partialFilterExpression: { claimEmail: { $exists: true } } })
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ forgetAt: 1 }, { expireAfterSeconds: 0 })

export function sandboxModel(connection: Connection) {
  return connection.model('Sandbox', schema)
}

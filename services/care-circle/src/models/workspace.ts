import { type Connection, Schema } from 'mongoose'

/** One household. */
export type Workspace = {
  _id: string
  name: string
  plan: string
  createdAt: Date
  /** `<personId>/<key>` of the request that made it; absent when that had none. */
  madeBy?: string
  /** How often its circle of members was changed; written so that such changes come one after the other. */
  changes?: number
  /** Opened by an agent and claimed by nobody yet. Absent in a household. */
  sandbox?: true
  /** Since when the operator has its invitations stopped. */
  mailStoppedAt?: Date
}

const schema = new Schema<Workspace>(
  {
    _id: String,
    name: String,
    plan: String,
    createdAt: Date,
    madeBy: String,
    changes: Number,
    sandbox: Boolean,
    mailStoppedAt: Date,
  },
  { versionKey: false, collection: 'workspaces' },
)

schema.index({ madeBy: 1 }, { unique: true, partialFilterExpression: { madeBy: { $exists: true } } })

export function workspaceModel(connection: Connection) {
  return connection.model('Workspace', schema)
}

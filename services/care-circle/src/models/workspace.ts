import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

export type Workspace = {
  _id: string
  name: string
  plan: string
  createdAt: Date
  /** `<personId>/<idempotencyKey>` of the request that created it. */
  requestKey?: string
  /** Incremented with each change of members, so that such changes conflict and run in turn. */
  changes?: number
  /** Opened by an agent and not claimed yet. */
  sandbox?: true
  /** Set while the operator has stopped its invitations. */
  mailStoppedAt?: Date
  assistants?: AssistantSettings
  /** Whether the owner asks all members to refuse sign-in by code. */
  passkeysAsked?: boolean
}

/** The owner’s decisions about everyone's assistants. Copied to every member, since each call reads that row. */
export type AssistantSettings = {
  approvalRequired?: boolean
  paused?: boolean
  /** Whether mail that assistants wrote says so. */
  disclosed?: boolean
  /** Whether assistants’ first write after mail of an unverified sender needs approval. */
  guarded?: boolean
}

export const assistantSettings = new Schema<AssistantSettings>(
  { approvalRequired: Boolean, paused: Boolean, disclosed: Boolean, guarded: Boolean },
  { _id: false },
)

const schema = rowSchema<Workspace>(
  'workspaces',
  {
    _id: String,
    name: String,
    plan: String,
    createdAt: Date,
    requestKey: String,
    changes: Number,
    sandbox: Boolean,
    mailStoppedAt: Date,
    assistants: assistantSettings,
    passkeysAsked: Boolean,
  },
  { workspaceId: 'apart' },
  {
    global: 'a repeated request finds the workspace that it created by its key, which is unique',
    rowsPerWorkspace: 1,
    rowBytes: 350,
  },
)

schema.index({ requestKey: 1 }, { unique: true, partialFilterExpression: { requestKey: { $exists: true } } })

/** All but unclaimed sandboxes. */
export function families() {
  return { sandbox: { $ne: true } } as const
}

export function workspaceModel(connection: Connection) {
  return connection.model('Workspace', schema)
}

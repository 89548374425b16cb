import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

export type LovedOne = {
  _id: string
  workspaceId: string
  name: string
  createdAt: Date
  idempotencyKey?: string
  /** The last urgent event that members got mail about. */
  urgentMail?: { eventId: string; at: Date }
}

const schema = rowSchema<LovedOne>(
  'loved_ones',
  {
    _id: String,
    workspaceId: String,
    name: String,
    createdAt: Date,
    idempotencyKey: String,
    urgentMail: Schema.Types.Mixed,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, createdAt: 1 })
schema.index(
  { workspaceId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)

export function lovedOneModel(connection: Connection) {
  return connection.model('LovedOne', schema)
}

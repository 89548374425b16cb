import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A mail the service sent to one of its own addresses, so a person sees it arrive. */
export type TestMail = {
  _id: string
  workspaceId: string
  lovedOneId: string
  messageIdHeader: string
  idempotencyKey: string
  createdAt: Date
}

const schema = rowSchema<TestMail>(
  'test_mails',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageIdHeader: String,
    idempotencyKey: String,
    createdAt: Date,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, idempotencyKey: 1 }, { unique: true })
schema.index({ workspaceId: 1, lovedOneId: 1, createdAt: -1 })

export function testMailModel(connection: Connection) {
  return connection.model('TestMail', schema)
}

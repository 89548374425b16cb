import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { State } from '@family-inbox/workspace-kit/status-rule'
import { type Connection, Schema } from 'mongoose'

/** The family’s state of a conversation. Without a row there is nothing to do about it. New mail changes it without a `changedByName`. */
export type ConversationStatus = State & {
  /** `<workspaceId>/<lovedOneId>/<conversationId>` */
  _id: string
  workspaceId: string
  lovedOneId: string
  changedAt: Date
  /** The message somebody had open who changed it last. It does not open the conversation again once it is indexed. */
  actedOn?: string
  /** When its newest mail was received. */
  mailAt: Date
  /** Grows with each change: an update names the version it has seen. */
  version: number
  /** Someone was given it and is not notified yet. */
  handedOver?: { noticeId: string; personId: string; byName: string; messageId: string }
}

const schema = rowSchema<ConversationStatus>(
  'conversation_statuses',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    status: String,
    assigneeId: String,
    assigneeName: String,
    changedByName: String,
    changedAt: Date,
    actedOn: String,
    mailAt: Date,
    version: Number,
    handedOver: Schema.Types.Mixed,
  },
  { workspaceId: 'field' },
  { shardKey: { _id: 1 } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, status: 1, mailAt: -1, _id: -1 })
schema.index(
  { assigneeId: 1, workspaceId: 1, lovedOneId: 1, mailAt: -1, _id: -1 },
  { partialFilterExpression: { assigneeId: { $exists: true } } },
)
schema.index({ 'handedOver.noticeId': 1 }, { sparse: true })

export function conversationStatusModel(connection: Connection) {
  return connection.model('ConversationStatus', schema)
}

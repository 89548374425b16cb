import { type Connection, Schema } from 'mongoose'

/** Written by everyone who joins conversations of an inbox, so that they take turns. */
type ConversationLock = {
  /** `<workspaceId>/<lovedOneId>` */
  _id: string
  workspaceId: string
  joins: number
}

const schema = new Schema<ConversationLock>(
  { _id: String, workspaceId: String, joins: Number },
  { versionKey: false, collection: 'conversation_locks' },
)
schema.index({ workspaceId: 1 })

export function conversationLockModel(connection: Connection) {
  return connection.model('ConversationLock', schema)
}

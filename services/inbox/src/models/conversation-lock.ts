import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { ClientSession, Connection } from 'mongoose'

/** Written by everyone who joins conversations of an inbox, so that they take turns. */
type ConversationLock = {
  /** `<workspaceId>/<lovedOneId>` */
  _id: string
  workspaceId: string
  joins: number
}

const schema = rowSchema<ConversationLock>(
  'conversation_locks',
  { _id: String, workspaceId: String, joins: Number },
  { workspaceId: 'field' },
  { shardKey: { _id: 1 } },
)
schema.index({ workspaceId: 1 })

export function conversationLockModel(connection: Connection) {
  return connection.model('ConversationLock', schema)
}

/** A write that every join makes, so that two joins in an inbox conflict and one is repeated. */
export async function lockInbox(
  { conversationLocks }: { conversationLocks: ReturnType<typeof conversationLockModel> },
  inbox: { workspaceId: string; lovedOneId: string },
  session: ClientSession,
) {
  const { workspaceId, lovedOneId } = inbox
  await conversationLocks.updateOne(
    { _id: `${workspaceId}/${lovedOneId}` },
    { $inc: { joins: 1 }, $setOnInsert: { workspaceId } },
    { upsert: true, session },
  )
}

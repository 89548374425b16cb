import type { Connection } from 'mongoose'
import type { ConversationStatus } from '../models/conversation-status.ts'
import type { InboxAddress } from '../models/inbox-address.ts'
import { type Message, messageIdOf, messageRowId } from '../models/message.ts'

const RECENT_MS = 7 * 86_400_000
const BATCH_SIZE = 500

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'conversationId' | 'receivedAt'>

/** Opens last week's conversations, as if their mail arrived now. Years of earlier mail are not work to do. */
export async function openRecentConversations(connection: Connection): Promise<void> {
  const recent = { receivedAt: { $gt: new Date(Date.now() - RECENT_MS) } }
  const needsAttention = { category: { $ne: 'automated' }, autoSubmitted: { $ne: 'auto-replied' } } as const
  const addresses = connection.collection<InboxAddress>('inbox_addresses')
  for (const { workspaceId, lovedOneId } of await addresses.find({ removedAt: null as never }).toArray()) {
    const rows = connection
      .collection<Message>('messages')
      .find<Row>({ workspaceId, lovedOneId, ...recent, ...needsAttention }, { projection: FIELDS })
      .batchSize(BATCH_SIZE)
    for await (const row of rows) await open(connection, row)
  }
}

const FIELDS = { workspaceId: 1, lovedOneId: 1, conversationId: 1, receivedAt: 1 }

async function open(connection: Connection, row: Row): Promise<void> {
  const { workspaceId, lovedOneId, receivedAt, conversationId = messageIdOf(row) } = row
  await connection.collection<ConversationStatus>('conversation_statuses').updateOne(
    { _id: messageRowId(row, conversationId) },
    {
      $max: { mailAt: receivedAt },
      $setOnInsert: { workspaceId, lovedOneId, status: 'open', changedAt: new Date(), version: 1 },
    },
    { upsert: true },
  )
}

import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Connection } from 'mongoose'
import type { ConversationStatus } from '../models/conversation-status.ts'
import type { InboxAddress } from '../models/inbox-address.ts'
import { type Message, messageRowId, publicIdOf } from '../models/message.ts'

const RECENT_MS = 7 * DAY_MS
const BATCH_SIZE = 500

type Inbox = Pick<Message, 'workspaceId' | 'lovedOneId'>
type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'conversationId' | 'receivedAt'>

/** Opens last week's conversations, as if their mail arrived now. Years of earlier mail are not work to do. */
export async function openRecentConversations(connection: Connection): Promise<void> {
  const recent = { receivedAt: { $gt: new Date(Date.now() - RECENT_MS) } }
  const needsAttention = { category: { $ne: 'automated' }, autoSubmitted: { $ne: 'auto-replied' } } as const
  const inboxes = await connection
    .collection<InboxAddress>('inbox_addresses')
    .aggregate<{ _id: Inbox }>([
      { $match: { removedAt: null } },
      { $group: { _id: { workspaceId: '$workspaceId', lovedOneId: '$lovedOneId' } } },
    ])
    .toArray()
  for (const { _id: inbox } of inboxes) {
    const rows = connection
      .collection<Message>('messages')
      .find<Row>({ ...inbox, ...recent, ...needsAttention }, { projection: FIELDS })
      .batchSize(BATCH_SIZE)
    const batch: Row[] = []
    for await (const row of rows) {
      batch.push(row)
      if (batch.length === BATCH_SIZE) await open(connection, batch.splice(0))
    }
    await open(connection, batch)
  }
}

const FIELDS = { workspaceId: 1, lovedOneId: 1, conversationId: 1, receivedAt: 1 }

async function open(connection: Connection, rows: Row[]): Promise<void> {
  if (rows.length === 0) return
  const updates = rows.map((row) => ({ updateOne: { ...toUpdate(row), upsert: true } }))
  await connection.collection<ConversationStatus>('conversation_statuses').bulkWrite(updates, { ordered: false })
}

function toUpdate(row: Row) {
  const { workspaceId, lovedOneId, receivedAt, conversationId = publicIdOf(row) } = row
  const opened = { workspaceId, lovedOneId, status: 'open' as const, changedAt: new Date(), version: 1 }
  return {
    filter: { _id: messageRowId(row, conversationId) },
    update: { $max: { mailAt: receivedAt }, $setOnInsert: opened },
  }
}

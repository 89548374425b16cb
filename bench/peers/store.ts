import { hasCapacity, type Window, withNow } from '@family-inbox/auth/admission/sliding-window'
import type { AuditEntry } from '@family-inbox/auth/models/audit-entry'
import { hashToolKey, type ToolKey } from '@family-inbox/auth/models/tool-key'
import type { LovedOne } from '@family-inbox/care-circle/models/loved-one'
import { type Member, memberId } from '@family-inbox/care-circle/models/member'
import { findStates } from '@family-inbox/inbox/finding/find-statuses'
import type { ConversationStatus } from '@family-inbox/inbox/models/conversation-status'
import type { IndexEntry } from '@family-inbox/inbox/models/index-entry'
import { conversationOf, type Message, messageRowId } from '@family-inbox/inbox/models/message'
import { READ_FIELDS, type ReadRow, SUMMARY_FIELDS, type SummaryRow } from '@family-inbox/inbox/models/message-summary'
import { MongoClient } from 'mongodb'
import type { Databases } from '../world/workspace.ts'

export type KeyOwner = Pick<ToolKey, '_id' | 'personId' | 'workspaceId'>

/** The same look-ups, query and writes as the services, with the bare driver. */
export type Store = ReturnType<typeof openStore>

/** The driver's types do not allow null for a missing field. */
type StoredKey = Omit<ToolKey, 'revokedAt'> & { revokedAt?: Date | null }

const WINDOW: Window = { limit: 60, ms: 60_000 }
const SPEND_CALL = [{ $set: { lastUsedAt: '$$NOW', calls: withNow('$calls', WINDOW.limit) } }]

export function openStore(databases: Databases) {
  const client = new MongoClient(databases.auth, { writeConcern: { w: 'majority', journal: true } })
  const database = (uri: string) => client.db(new URL(uri).pathname.slice(1))
  const toolKeys = database(databases.auth).collection<StoredKey>('tool_keys')
  const auditEntries = database(databases.auth).collection<AuditEntry>('audit_entries')
  const members = database(databases.careCircle).collection<Member>('members')
  const lovedOnes = database(databases.careCircle).collection<LovedOne>('loved_ones')
  const messages = database(databases.inbox).collection<Message>('messages')
  const statuses = database(databases.inbox).collection<ConversationStatus>('conversation_statuses')
  const indexEntries = database(databases.inbox).collection<IndexEntry>('index_entries')
  const findConversationStatuses = (ids: readonly string[]) => statuses.find({ _id: { $in: [...ids] } }).toArray()

  return {
    /** Look-up, revocation, call limit and last use in one update, acknowledged before it is journaled. */
    admit(key: string): Promise<KeyOwner | null> {
      const isGood = { hash: hashToolKey(key), revokedAt: null }
      return toolKeys.findOneAndUpdate({ $and: [isGood, { $expr: hasCapacity('$calls', WINDOW) }] }, SPEND_CALL, {
        projection: { personId: 1, workspaceId: 1 },
        writeConcern: { w: 1 },
      })
    },

    keyExists: async (key: string): Promise<boolean> =>
      (await toolKeys.findOne({ hash: hashToolKey(key), revokedAt: null }, { projection: { _id: 1 } })) !== null,

    isMember: async ({ workspaceId, personId }: KeyOwner): Promise<boolean> =>
      (await members.findOne({ _id: memberId(workspaceId, personId) })) !== null,

    async ownsLovedOne({ workspaceId }: KeyOwner, lovedOneId: string): Promise<boolean> {
      const lovedOne = await lovedOnes.findOne({ _id: lovedOneId }, { projection: { workspaceId: 1 } })
      return lovedOne?.workspaceId === workspaceId
    },

    /** Reads a row more than the page, to see whether there is another page. */
    listMessages: ({ workspaceId }: KeyOwner, lovedOneId: string, limit: number): Promise<SummaryRow[]> =>
      messages
        .find({ workspaceId, lovedOneId }, { projection: SUMMARY_FIELDS })
        .sort({ receivedAt: -1, _id: -1 })
        .limit(limit + 1)
        .toArray(),

    readMessage: (
      { workspaceId }: KeyOwner,
      { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
    ): Promise<ReadRow | null> =>
      messages.findOne({ _id: messageRowId({ workspaceId, lovedOneId }, messageId) }, { projection: READ_FIELDS }),

    /** The family’s state of each message, in their order. */
    async findStates({ workspaceId }: KeyOwner, lovedOneId: string, rows: SummaryRow[]) {
      const refs = rows.map((row) => ({ ...row, workspaceId, lovedOneId }))
      return refs.map(await findStates({ findConversationStatuses }, refs))
    },

    /** How much mail its conversation has. The messages of a benchmark are alone. */
    countConversation: async ({ workspaceId }: KeyOwner, lovedOneId: string, row: ReadRow): Promise<number> => {
      const conversation = { workspaceId, lovedOneId, conversationId: conversationOf(row) }
      return (await indexEntries.find(conversation, { projection: { receivedAt: 1 } }).toArray()).length
    },

    recordCall: (call: AuditEntry) => auditEntries.insertOne(call),
  }
}

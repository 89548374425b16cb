import { type Connection, Schema } from 'mongoose'
import type { Message } from './message.ts'

/** Search data. Separate from messages, so that queries skip bodies and delivery does not wait. */
export type IndexEntry = Pick<Message, 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'category'> & {
  _id: string
  hasAttachments: boolean
  conversationId: string
  /** By these, other messages find it to be in their conversation (models/conversation-keys.ts). */
  conversation: string[]
  /** Prefixes of its words: the query looks these up, then compares `words`. */
  keys: string[]
  words: string
  /** Names and addresses of its sender and author, and the names of members who replied, as words. */
  people: string[]
}

const schema = new Schema<IndexEntry>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    receivedAt: Date,
    category: String,
    hasAttachments: Boolean,
    conversationId: String,
    conversation: [String],
    keys: [String],
    words: String,
    people: [String],
  },
  { versionKey: false, collection: 'index_entries' },
)

/** Named for query hints. Each returns rows newest first, so a query can stop after one page. */
export const INDEX = {
  byWord: 'by_word',
  byCategory: 'by_category',
  byAttachments: 'by_attachments',
  byConversation: 'by_conversation',
} as const

const NEWEST_FIRST = { receivedAt: -1, _id: -1 } as const
schema.index({ workspaceId: 1, lovedOneId: 1, keys: 1, ...NEWEST_FIRST }, { name: INDEX.byWord })
schema.index({ workspaceId: 1, lovedOneId: 1, category: 1, ...NEWEST_FIRST }, { name: INDEX.byCategory })
schema.index(
  { workspaceId: 1, lovedOneId: 1, hasAttachments: 1, ...NEWEST_FIRST },
  { name: INDEX.byAttachments, partialFilterExpression: { hasAttachments: true } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, conversation: 1 })
schema.index({ workspaceId: 1, lovedOneId: 1, conversationId: 1, ...NEWEST_FIRST }, { name: INDEX.byConversation })

export function indexEntryModel(connection: Connection) {
  return connection.model('IndexEntry', schema)
}

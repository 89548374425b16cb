import { type Connection, Schema } from 'mongoose'
import type { Message } from './message.ts'

/**
 * What a message is found by. Apart from the message, so that finding wades through no bodies, and written after it, so that
 * no mail waits for it (search/index-messages.ts).
 */
export type IndexEntry = Pick<Message, 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'category'> & {
  /** The message's own. */
  _id: string
  hasAttachments: boolean
  /** The Message-IDs of the message and of those it answers, shortened to hashes: two that share one are a conversation. */
  conversation: string[]
  /** The first letters of its words; what is typed is looked up by these, and then compared with the words. */
  keys: string[]
  /** Its words, each after a blank. */
  words: string
}

const schema = new Schema<IndexEntry>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    receivedAt: Date,
    category: String,
    hasAttachments: Boolean,
    conversation: [String],
    keys: [String],
    words: String,
  },
  { versionKey: false, collection: 'index_entries' },
)

/** The indexes by name, since a query says which it uses: each yields its rows newest first, so that a page ends the work. */
export const INDEX = {
  byWord: 'by_word',
  byCategory: 'by_category',
  byAttachments: 'by_attachments',
} as const

const NEWEST_FIRST = { receivedAt: -1, _id: -1 } as const
schema.index({ workspaceId: 1, lovedOneId: 1, keys: 1, ...NEWEST_FIRST }, { name: INDEX.byWord })
schema.index({ workspaceId: 1, lovedOneId: 1, category: 1, ...NEWEST_FIRST }, { name: INDEX.byCategory })
schema.index(
  { workspaceId: 1, lovedOneId: 1, hasAttachments: 1, ...NEWEST_FIRST },
  { name: INDEX.byAttachments, partialFilterExpression: { hasAttachments: true } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, conversation: 1 })

export function indexEntryModel(connection: Connection) {
  return connection.model('IndexEntry', schema)
}

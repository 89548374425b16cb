import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, SEALED_PREFIXES, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'
import { conversationKeys } from './conversation-keys.ts'
import { type EntryWords, wordsOf } from './entry-words.ts'
import { type Message, publicIdOf } from './message.ts'

/** Search data. Separate from messages, so that queries skip bodies and delivery does not wait. */
export type IndexEntry = Pick<Message, 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'category'> &
  EntryWords & {
    _id: string
    hasAttachments: boolean
    conversationId: string
    /** By these, other messages find it to be in their conversation (models/conversation-keys.ts). */
    conversation: string[]
  }

const schema = rowSchema<IndexEntry>(
  'index_entries',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    receivedAt: Date,
    category: String,
    hasAttachments: Boolean,
    conversationId: String,
    conversation: [String],
    keys: SEALED_PREFIXES,
    words: SEALED,
    people: [String],
  },
  { workspaceId: 'field', messageRowId: '_id' },
  { shardKey: { workspaceId: 1 } },
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

export function indexEntryModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'IndexEntry', schema, keys)
}

export const INDEXED_FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  receivedAt: 1,
  category: 1,
  attachmentCount: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  sentAt: 1,
  subject: 1,
  from: 1,
  originalSender: 1,
  replyTo: 1,
  ownReplyId: 1,
  'attachments.filename': 1,
  text: 1,
  opensConversation: 1,
} as const

export type IndexedRow = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'category'> &
  Pick<Message, 'opensConversation'> &
  Pick<Message, 'attachmentCount' | 'messageIdHeader' | 'inReplyTo' | 'references'> &
  Pick<Message, 'subject' | 'from' | 'originalSender' | 'replyTo' | 'ownReplyId' | 'text' | 'sentAt'> & {
    attachments: { filename: string }[]
  }

/**
 * @param repliers names of the members who replied
 * @param fileText what its files say
 */
export function toIndexEntry(row: IndexedRow, repliers: string[] = [], fileText = ''): IndexEntry {
  const { _id, workspaceId, lovedOneId, receivedAt, category, attachmentCount } = row
  return {
    _id,
    workspaceId,
    lovedOneId,
    receivedAt,
    category,
    hasAttachments: attachmentCount > 0,
    conversationId: publicIdOf(row),
    conversation: conversationKeys(row).own,
    ...wordsOf(row, repliers, fileText),
  }
}

import { createHash } from 'node:crypto'
import type { IndexEntry } from '../models/index-entry.ts'
import type { Message } from '../models/message.ts'
import { indexWords } from './words.ts'

export const INDEXED_FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  receivedAt: 1,
  category: 1,
  attachmentCount: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  subject: 1,
  from: 1,
  originalSender: 1,
  'attachments.filename': 1,
  text: 1,
} as const

export type IndexedRow = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'category'> &
  Pick<Message, 'attachmentCount' | 'messageIdHeader' | 'inReplyTo' | 'references'> &
  Pick<Message, 'subject' | 'from' | 'originalSender' | 'text'> & { attachments: { filename: string }[] }

const MAX_CONVERSATION = 30

/** Builds the search entry of a message; deterministic. */
export function toIndexEntry(row: IndexedRow): IndexEntry {
  const { _id, workspaceId, lovedOneId, receivedAt, category, attachmentCount } = row
  return {
    _id,
    workspaceId,
    lovedOneId,
    receivedAt,
    category,
    hasAttachments: attachmentCount > 0,
    conversation: conversationOf(row),
    ...indexWords(textsOf(row)),
  }
}

/** Hashes of the Message-IDs that make up its conversation (RFC 5322 section 3.6.4). */
export function conversationOf({
  messageIdHeader,
  inReplyTo,
  references,
}: Pick<Message, 'messageIdHeader' | 'inReplyTo' | 'references'>): string[] {
  const ids = [messageIdHeader, inReplyTo, ...references.toReversed()].filter((id) => id !== undefined)
  return [...new Set(ids)].slice(0, MAX_CONVERSATION).map(shorten)
}

/** Most memorable first: words beyond the limit are not indexed. */
function textsOf({ subject, from, originalSender, attachments, text }: IndexedRow): string[] {
  const people = [from, originalSender].flatMap((one) => (one ? [one.name, one.address] : []))
  return [subject, ...people, ...attachments.map(({ filename }) => filename), text]
}

function shorten(messageId: string): string {
  return createHash('sha256').update(messageId).digest('base64url').slice(0, 16)
}

import { createHash } from 'node:crypto'
import type { IndexEntry, indexEntryModel } from '../models/index-entry.ts'
import type { Message } from '../models/message.ts'
import type { Reply } from '../models/reply.ts'

type Entries = ReturnType<typeof indexEntryModel>

const MAX_IDS = 30
/** A conversation with more messages is shown in part. */
const MAX_JOINED_IDS = 100
const MAX_RELATED = 50

/** Hashes of the Message-IDs that a message names (RFC 5322 section 3.6.4). */
export function conversationOf({
  messageIdHeader,
  inReplyTo,
  references,
}: Pick<Message, 'messageIdHeader' | 'inReplyTo' | 'references'>): string[] {
  const ids = [messageIdHeader, inReplyTo, ...references.toReversed()].filter((id) => id !== undefined)
  return [...new Set(ids)].slice(0, MAX_IDS).map(shorten)
}

/** Mail programs may name only the message they answer, so each message also gets the ids of those it is related to. */
export async function joinConversations(indexEntries: Entries, entries: IndexEntry[]): Promise<IndexEntry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.conversation.length < 2) return entry
      const related = await indexEntries.find(relatedTo(entry), { conversation: 1 }).limit(MAX_RELATED).lean()
      const ids = new Set([...entry.conversation, ...related.flatMap(({ conversation }) => conversation)])
      return { ...entry, conversation: [...ids].slice(0, MAX_JOINED_IDS) }
    }),
  )
}

/** Lets an answer that names only our reply find the message that we replied to, which may not be indexed yet. */
export async function addReplyToConversation(
  indexEntries: Entries,
  { messageRowId, workspaceId, lovedOneId }: Pick<Reply, 'messageRowId' | 'workspaceId' | 'lovedOneId'>,
  replyMessageId: string,
): Promise<void> {
  await indexEntries.updateOne(
    { _id: messageRowId },
    {
      $addToSet: { conversation: shorten(replyMessageId) },
      $setOnInsert: { workspaceId, lovedOneId },
    },
    { upsert: true },
  )
}

type ConversationRow = Pick<
  Message,
  '_id' | 'workspaceId' | 'lovedOneId' | 'messageIdHeader' | 'inReplyTo' | 'references'
>

/** The ids of other messages in the same inbox that share a Message-ID with this one. */
export async function findRelated(indexEntries: Entries, row: ConversationRow): Promise<string[]> {
  const { _id, workspaceId, lovedOneId } = row
  const indexed = await indexEntries.findById(_id, { conversation: 1 }).lean()
  const conversation = [...new Set([...conversationOf(row), ...(indexed?.conversation ?? [])])]
  if (conversation.length === 0) return []
  const related = await indexEntries
    .find(relatedTo({ _id, workspaceId, lovedOneId, conversation }), { _id: 1 })
    .limit(MAX_RELATED)
    .lean()
  return related.map((one) => one._id)
}

function relatedTo({
  _id,
  workspaceId,
  lovedOneId,
  conversation,
}: Pick<IndexEntry, '_id' | 'workspaceId' | 'lovedOneId' | 'conversation'>) {
  return { workspaceId, lovedOneId, conversation: { $in: conversation }, _id: { $ne: _id } }
}

function shorten(messageId: string): string {
  return createHash('sha256').update(messageId).digest('base64url').slice(0, 16)
}

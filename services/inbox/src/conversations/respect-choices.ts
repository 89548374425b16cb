import type { ClientSession } from 'mongoose'
import { messageIdKey } from '../models/conversation-keys.ts'
import type { IndexEntry, indexEntryModel } from '../models/index-entry.ts'
import type { Message, messageModel } from '../models/message.ts'

type Stores = { indexEntries: ReturnType<typeof indexEntryModel>; messages: ReturnType<typeof messageModel> }
type Mail = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'inReplyTo'>
type Entry = Pick<IndexEntry, '_id' | 'conversationId' | 'conversation'>

/**
 * What a member has taken apart stays apart: mail that could join it all together joins only the conversation of the mail that it
 * answers, and what is in a conversation already stays there.
 * @param conversations that of the mail first
 * @returns those to join
 */
export async function respectChoices(
  { indexEntries, messages }: Stores,
  mail: Mail,
  conversations: string[],
  session: ClientSession,
): Promise<string[]> {
  const { _id, workspaceId, lovedOneId, inReplyTo } = mail
  const [own = '', ...others] = conversations
  const entries = await indexEntries
    .find({ workspaceId, lovedOneId, conversationId: { $in: conversations } }, FIELDS, { session })
    .sort({ receivedAt: 1, _id: 1 })
    .lean<Entry[]>()
  const ids = entries.map((entry) => entry._id)
  const apart = await messages
    .find({ _id: { $in: ids }, takenOutOf: { $exists: true } }, { _id: 1 }, { session })
    .lean()
  if (apart.length === 0) return conversations
  const isJoined = entries.some((entry) => entry.conversationId === own && entry._id !== _id)
  if (isJoined || apart.some((row) => row._id === _id)) return [own]
  const there = entries.filter((entry) => others.includes(entry.conversationId))
  const [answered] =
    inReplyTo === undefined
      ? []
      : await messages
          .find({ _id: { $in: there.map((entry) => entry._id) }, messageIdHeader: inReplyTo }, { _id: 1 }, { session })
          .lean()
  // The first that names the Message-ID of a reply of ours is the mail that we replied to.
  const naming = inReplyTo && there.find((entry) => entry.conversation?.includes(messageIdKey(inReplyTo)))
  const target = there.find((entry) => entry._id === answered?._id) ?? (naming || there.at(-1))
  return target === undefined ? [own] : [own, target.conversationId]
}

const FIELDS = { conversationId: 1, conversation: 1 } as const

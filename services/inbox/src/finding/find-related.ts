import { senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import type { RelatedMessage } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { conversationOf, type Message, publicIdOf } from '../models/message.ts'

const MAX_RELATED = 50

/** The mail of a message’s conversation, itself included, oldest first: who sent it and when, and no text. Empty if it is alone. */
export async function findRelated(
  { messages, findConversation }: Pick<Context, 'messages' | 'findConversation'>,
  row: Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'conversationId'>,
): Promise<RelatedMessage[]> {
  const { workspaceId, lovedOneId } = row
  const ids = await findConversation({ workspaceId, lovedOneId, conversationId: conversationOf(row) })
  if (ids.length < 2) return []
  const rows = await messages
    .find({ _id: { $in: ids.slice(0, MAX_RELATED) } }, { from: 1, receivedAt: 1, authenticity: 1 })
    .sort({ receivedAt: 1, _id: 1 })
    .lean<Pick<Message, '_id' | 'from' | 'receivedAt' | 'authenticity'>[]>()
  return rows.map(({ _id, from, receivedAt, authenticity }) => ({
    id: publicIdOf({ _id }),
    sender: from,
    receivedAt,
    check: senderCheck(authenticity),
  }))
}

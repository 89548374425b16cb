import type { Context } from './context.ts'
import type { Message } from './models/message.ts'
import { conversationOf } from './search/index-entry-of.ts'
import { SUMMARY_FIELDS, type SummaryRow } from './wire-message.ts'

const MAX_THREAD = 50

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'messageIdHeader' | 'inReplyTo' | 'references'>

/** The other messages of a conversation in the same inbox, oldest first: those that name a Message-ID in common. */
export async function findConversation(ctx: Context, row: Row): Promise<SummaryRow[]> {
  const { workspaceId, lovedOneId } = row
  const conversation = conversationOf(row)
  if (conversation.length === 0) return []
  const related = await ctx.indexEntries
    .find({ workspaceId, lovedOneId, conversation: { $in: conversation }, _id: { $ne: row._id } }, { _id: 1 })
    .limit(MAX_THREAD)
    .lean()
  if (related.length === 0) return []
  return ctx.messages
    .find({ _id: { $in: related.map(({ _id }) => _id) } }, SUMMARY_FIELDS)
    .sort({ receivedAt: 1, _id: 1 })
    .lean<SummaryRow[]>()
}

import { StatusError } from '@family-inbox/service-kit/status-error'
import { ANSWER_FIELDS } from './answer-to.ts'
import type { Context } from './context.ts'
import { type Message, messageRowId } from './models/message.ts'

export type RepliedRow = Pick<Message, '_id' | 'lovedOneId' | 'authenticity' | keyof typeof ANSWER_FIELDS>

/**
 * The message to answer, in the household's inboxes only. Without a loved one each of the household's is looked into.
 * @throws StatusError NOT_FOUND, alike for a foreign id and one that does not exist
 */
export async function findRepliedMessage(
  ctx: Context,
  workspaceId: string,
  { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
): Promise<RepliedRow> {
  const lovedOneIds =
    lovedOneId === '' ? await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId }) : [lovedOneId]
  const ids = lovedOneIds.map((id) => messageRowId({ workspaceId, lovedOneId: id }, messageId))
  const row = await ctx.messages
    .findOne({ _id: { $in: ids } }, { lovedOneId: 1, authenticity: 1, ...ANSWER_FIELDS })
    .lean<RepliedRow | null>()
  if (row !== null) return row
  throw new StatusError('NOT_FOUND', 'There is no message with this messageId in your household.', {
    field: 'messageId',
  })
}

import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import type { Mailbox, ParsedMessage } from '../mail/parsed-message.ts'
import { type Message, messageRowId } from '../models/message.ts'

export type RepliedRow = Pick<Message, '_id' | 'lovedOneId' | 'authenticity' | keyof typeof RECIPIENT_FIELDS>

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
    .findOne({ _id: { $in: ids } }, { lovedOneId: 1, authenticity: 1, ...RECIPIENT_FIELDS })
    .lean<RepliedRow | null>()
  if (row !== null) return row
  throw new StatusError('NOT_FOUND', 'There is no message with this messageId in your household.', {
    field: 'messageId',
  })
}

/** What of a message says where an answer goes. */
export const RECIPIENT_FIELDS = { from: 1, replyTo: 1, originalSender: 1, originalReplyTo: 1 } as const

/** The address an answer to a message goes to: who wrote it, or where they want answers. Undefined when it names nobody. */
export function resolveReplyTo(row: Pick<Message, keyof typeof RECIPIENT_FIELDS>): string | undefined {
  try {
    return requireEmail('messageId', replyMailbox(row)?.address ?? '')
  } catch {
    return undefined
  }
}

/**
 * Where an answer to a message goes: to who wrote it, not to the family member who forwarded it, and to the Reply-To when
 * there is one (RFC 5322 3.6.2). Undefined when the mail names nobody.
 */
export function replyMailbox(
  message: Pick<ParsedMessage, 'from' | 'replyTo' | 'originalSender' | 'originalReplyTo'>,
): Mailbox | undefined {
  const { from, replyTo, originalSender, originalReplyTo } = message
  const recipient = originalSender ? (originalReplyTo ?? originalSender) : (replyTo ?? from)
  return recipient.address ? recipient : undefined
}

import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/text/text-rules'
import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import type { Mailbox, ParsedMessage } from '../mail/parsed-message.ts'
import { type Message, messageRowId } from '../models/message.ts'

export const RECIPIENT_FIELDS = { from: 1, replyTo: 1, originalSender: 1, originalReplyTo: 1 } as const

export type RepliedRow = Pick<
  Message,
  '_id' | 'lovedOneId' | 'authenticity' | 'proposed' | 'subject' | 'to' | keyof typeof RECIPIENT_FIELDS
>

/** Without a loved one, searches all inboxes of the workspace. NOT_FOUND is the same for another workspace’s id. */
export async function findRepliedMessage(
  ctx: Context,
  workspaceId: string,
  { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
): Promise<RepliedRow> {
  const lovedOneIds =
    lovedOneId === '' ? await ctx.inboxAddresses.distinct('lovedOneId', { workspaceId }) : [lovedOneId]
  const ids = lovedOneIds.map((id) => messageRowId({ workspaceId, lovedOneId: id }, messageId))
  const row = await ctx.messages
    .findOne(
      { _id: { $in: ids } },
      { lovedOneId: 1, authenticity: 1, proposed: 1, subject: 1, to: 1, ...RECIPIENT_FIELDS },
    )
    .lean<RepliedRow | null>()
  if (row !== null) return row
  throw new StatusError('NOT_FOUND', 'No message with this messageId in your family’s inboxes.', {
    field: 'messageId',
  })
}

/** The same people write again and again, and checking their addresses is a third of the work of a summary. */
const mailable = new LRUCache<string, string>({
  max: 1000,
  maxSize: 100_000,
  sizeCalculation: (_, written) => written.length,
})

/** The address a reply would go to; undefined if mail cannot go there. */
export function resolveReplyTo(row: Pick<Message, keyof typeof RECIPIENT_FIELDS>): string | undefined {
  const written = replyMailbox(row)?.address ?? ''
  const known = mailable.get(written)
  if (known !== undefined) return known
  try {
    const email = requireEmail('messageId', written)
    mailable.set(written, email)
    return email
  } catch {
    return undefined
  }
}

/** The author rather than the member who forwarded it, or their Reply-To (RFC 5322 3.6.2). */
export function replyMailbox(
  message: Pick<ParsedMessage, 'from' | 'replyTo' | 'originalSender' | 'originalReplyTo'>,
): Mailbox | undefined {
  const { from, replyTo, originalSender, originalReplyTo } = message
  const recipient = originalSender ? (originalReplyTo ?? originalSender) : (replyTo ?? from)
  return recipient.address ? recipient : undefined
}

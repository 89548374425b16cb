import { z } from 'zod'
import { expectedTo, idempotencyKey, lovedOneId, messageId, text, time } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const replyToInboxMessage = defineTool({
  description:
    'Send a plain-text reply to the sender of a message, in the name of the person you act for. For the owner and coordinators only. First show the person the text and the address, and pass that address as expectedTo. Retries with the same idempotencyKey send once.',
  reachesOutside: true,
  input: z.strictObject({
    messageId,
    lovedOneId: lovedOneId.optional(),
    body: text('body', 20_000, 'Plain text, at most 20,000 characters.'),
    expectedTo,
    idempotencyKey,
  }),
  output: z.strictObject({
    replyId: z.string(),
    to: z.string(),
    status: z.literal('queued'),
    queuedAt: time,
  }),
  async call({ messageId, lovedOneId = '', body, expectedTo = '', idempotencyKey = '' }, { ctx, on }) {
    const { replyId, to, queuedAt } = await ctx.inbox.replyToMessage(
      { messageId, lovedOneId, body, expectedTo, idempotencyKey },
      on,
    )
    return { replyId, to, status: 'queued' as const, queuedAt: queuedAt?.toISOString() ?? '' }
  },
})

import { z } from 'zod'
import { expectedTo, idempotencyKey, lovedOneId, messageId, text, time } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const replyToInboxMessage = defineTool('reply_to_inbox_message', {
  description:
    'Send a plain-text reply to whoever wrote a message. It goes out under the name of the person you act for; answers come back into the loved one’s inbox. Owner and coordinators only. Show the person the text and the address before you send it, and pass that address as expectedTo. Give an idempotencyKey when you might have to try again: the same key sends once. Without one, the same text to the same message within ten minutes is one reply.',
  reachesOutside: true,
  input: z.strictObject({
    messageId,
    lovedOneId: lovedOneId.optional(),
    body: text('body', 20_000, 'The reply, as plain text.'),
    expectedTo,
    idempotencyKey,
  }),
  output: z.strictObject({
    replyId: z.string(),
    to: z.string().describe('The address the reply goes to.'),
    status: z.literal('queued').describe('The reply is safely stored and on its way.'),
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

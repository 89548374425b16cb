import { z } from 'zod'
import { expectedTo, idempotencyKey, lovedOneId, messageId, text, time } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const replyToInboxMessage = defineTool({
  description:
    'Send a plain-text reply to the sender of a message. It goes out under the name of the person you act for, and answers arrive in the loved one’s inbox. For the owner and coordinators only. Show the person the text and the address before you send it, and pass that address as expectedTo. Pass an idempotencyKey if you may need to retry: the same key sends only once. Without a key, the same text to the same message is sent once in ten minutes.',
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
    status: z.literal('queued').describe('The reply is stored and will be sent.'),
    queuedAt: time,
  }),
  async call({ messageId, lovedOneId = '', body, expectedTo = '', idempotencyKey = '' }, { ctx, caller, on }) {
    const { replyId, to, queuedAt } = await ctx.inbox.replyToMessage(
      { messageId, lovedOneId, body, expectedTo, idempotencyKey, assistant: caller.credentialName },
      on,
    )
    return { replyId, to, status: 'queued' as const, queuedAt: queuedAt?.toISOString() ?? '' }
  },
})

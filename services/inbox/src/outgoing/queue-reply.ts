import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import { formatAddress } from '../models/inbox-address.ts'
import type { Reply } from '../models/reply.ts'
import { type RepliedMessage, replyMail } from './reply-mail.ts'

const SWEEP_EVERY_MS = 5000
/** Younger rows are still being dealt with by the request that made them. */
const SWEEP_AFTER_MS = 10_000

/** Puts a reply's mail into the queue, unless it is known to be there. Doing it twice queues one mail: its id is the reply's. */
export async function queueReply(ctx: Context, reply: Reply): Promise<void> {
  if (reply.mailQueuedAt !== undefined) return
  const { workspaceId, lovedOneId } = reply
  const [message, address] = await Promise.all([
    ctx.messages
      .findById(reply.messageRowId, { subject: 1, messageIdHeader: 1, references: 1 })
      .lean<RepliedMessage>()
      .orFail(),
    // The newest: those before it are retired. It may be itself by now, and what was promised is sent all the same.
    ctx.inboxAddresses.findOne({ workspaceId, lovedOneId }).sort({ createdAt: -1 }).lean().orFail(),
  ])
  await ctx.mailQueue.send(replyMail(reply, message, formatAddress(address, ctx.config.mailDomain)))
  await ctx.replies.updateOne({ _id: reply._id }, { $set: { mailQueuedAt: new Date() } })
}

/** Queues, every few seconds, the replies whose process died between storing and queueing them. */
export function sweepReplies(ctx: Context): AsyncDisposable {
  let sweeping = Promise.resolve()
  const timer = setInterval(() => {
    sweeping = sweep(ctx).catch((error) => ctx.logger.error(describeError(error), 'replies could not be swept'))
  }, SWEEP_EVERY_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await sweeping
    },
  }
}

async function sweep(ctx: Context): Promise<void> {
  const stale = { mailQueuedAt: null, createdAt: { $lt: new Date(Date.now() - SWEEP_AFTER_MS) } }
  for (const reply of await ctx.replies.find(stale).limit(100).lean()) await queueReply(ctx, reply)
}

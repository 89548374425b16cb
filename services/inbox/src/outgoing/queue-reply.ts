import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import type { Context } from '../context.ts'
import { inTime } from '../in-time.ts'
import { formatAddress } from '../models/inbox-address.ts'
import type { Message } from '../models/message.ts'
import type { Reply } from '../models/reply.ts'
import { messageNotFound } from '../wire-message.ts'

const QUEUED_WITHIN_MS = 500
const SWEEP_EVERY_MS = 5000
/** Younger rows are still being dealt with by the request that made them. */
const SWEEP_AFTER_MS = 10_000

/**
 * Puts a reply's mail into the queue, unless it is known to be there. Doing it twice queues one mail: its id is the reply's.
 * @throws StatusError NOT_FOUND when the message it answers is gone, and then the reply is, too
 */
async function queueReply(ctx: Context, reply: Reply): Promise<void> {
  if (reply.mailQueuedAt !== undefined) return
  const { workspaceId, lovedOneId } = reply
  const [message, address] = await Promise.all([
    ctx.messages
      .findById(reply.messageRowId, { subject: 1, messageIdHeader: 1, references: 1 })
      .lean<RepliedMessage | null>(),
    // The newest: those before it are retired. It may be itself by now, and what was promised is sent all the same.
    ctx.inboxAddresses.findOne({ workspaceId, lovedOneId }).sort({ createdAt: -1 }).lean().orFail(),
  ])
  if (message === null) {
    await ctx.replies.deleteOne({ _id: reply._id, mailQueuedAt: null })
    throw messageNotFound()
  }
  await ctx.mailQueue.send(replyMail(reply, message, formatAddress(address, ctx.config.mailDomain)))
  await ctx.replies.updateOne({ _id: reply._id }, { $set: { mailQueuedAt: new Date() } })
}

/**
 * Queues a reply that is stored, in the time a caller waits for. What takes longer, or fails while NATS is away, the sweep does:
 * a stored reply is sent.
 * @throws StatusError NOT_FOUND when the message it answers is gone, and then the reply is, too
 */
export async function queueSoon(ctx: Context, reply: Reply): Promise<void> {
  try {
    await inTime(QUEUED_WITHIN_MS, queueReply(ctx, reply))
  } catch (error) {
    if (error instanceof StatusError && error.status === 'NOT_FOUND') throw error
    ctx.logger.warn(describeError(error), 'a stored reply is not queued yet')
  }
}

/** Queues, every few seconds, the replies whose process died between storing and queueing them. */
export function sweepReplies(ctx: Context): AsyncDisposable {
  const trouble = 'replies could not be swept'
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => sweep(ctx), failureMessage: trouble, logger: ctx.logger })
}

async function sweep(ctx: Context): Promise<boolean> {
  const stale = { mailQueuedAt: null, createdAt: { $lt: new Date(Date.now() - SWEEP_AFTER_MS) } }
  for (const reply of await ctx.replies.find(stale).limit(100).lean()) await queueStale(ctx, reply)
  return false
}

/** One that nobody can send, its message being gone, does not hold up the others. */
async function queueStale(ctx: Context, reply: Reply): Promise<void> {
  try {
    await queueReply(ctx, reply)
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
  }
}

type RepliedMessage = Pick<Message, 'subject' | 'messageIdHeader' | 'references'>

const MAX_REFERENCES = 20

/**
 * The mail of a reply: in the conversation of the message it answers (RFC 5322 section 3.6.4), its answers going to the
 * loved one's inbox.
 * @param inboxAddress where answers go
 */
function replyMail(reply: Reply, message: RepliedMessage, inboxAddress: string): OutgoingMail {
  const parent = message.messageIdHeader ?? ''
  return {
    id: reply._id,
    kind: MailKind.REPLY,
    workspaceId: reply.workspaceId,
    toAddress: reply.to,
    toName: '',
    fromName: toMailName(reply.name),
    replyTo: inboxAddress,
    subject: /^re:/i.test(message.subject) ? message.subject : `Re: ${message.subject}`,
    text: reply.body,
    actionLabel: '',
    actionUrl: '',
    inReplyTo: parent,
    references: parent === '' ? [] : [...message.references, parent].slice(-MAX_REFERENCES),
  }
}

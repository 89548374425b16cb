import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { deleteRows } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'

const AT_ONCE = 100

type Inbox = { workspaceId: string; lovedOneId: string }

/** Deletes all mail that was received before a time, inbox by inbox, with what was noted about it and the answers to it. */
async function expireMail(ctx: Context, before: Date, signal: AbortSignal): Promise<void> {
  const inboxes = ctx.inboxAddresses.find({ removedAt: null }, { workspaceId: 1, lovedOneId: 1 }).lean()
  for await (const { workspaceId, lovedOneId } of inboxes.cursor()) {
    if (signal.aborted) return
    await expireInbox(ctx, { workspaceId, lovedOneId }, before, signal)
  }
  // The date of a piece is that of the latest mail it is part of, so what is left from before belongs to no message.
  if (!signal.aborted) await deleteRows(ctx.originals.collection, { receivedAt: { $lt: before } })
}

async function expireInbox(ctx: Context, inbox: Inbox, before: Date, signal: AbortSignal): Promise<void> {
  const expired = ctx.messages
    .find({ ...inbox, receivedAt: { $lt: before } }, { _id: 1 })
    .sort({ receivedAt: 1, _id: 1 })
    .lean()
    .cursor({ batchSize: AT_ONCE })
  let ids: string[] = []
  for await (const { _id } of expired) {
    if (signal.aborted) return
    ids.push(_id)
    if (ids.length < AT_ONCE) continue
    await removeMessages(ctx, ids)
    ids = []
  }
  if (ids.length > 0) await removeMessages(ctx, ids)
}

/** The messages last: when this is cut short they are found again, and with them what is left. */
async function removeMessages(ctx: Context, all: string[]): Promise<void> {
  // What is being answered at this moment is there until the answer is on its way; the next sweep finds it.
  const answered = await ctx.replies.distinct('messageRowId', { messageRowId: { $in: all }, mailQueuedAt: null })
  const ids = all.filter((id) => !answered.includes(id))
  await ctx.indexEntries.deleteMany({ _id: { $in: ids } })
  await ctx.readMarks.deleteMany({ messageRowId: { $in: ids } })
  await removeReplies(ctx, ids)
  await ctx.messages.deleteMany({ _id: { $in: ids } })
}

/** The record of a mail that may still be in the queue stays, whatever becomes of its reply: it keeps it from being sent twice. */
async function removeReplies(ctx: Context, messageRowIds: string[]): Promise<void> {
  const replies = await ctx.replies.find({ messageRowId: { $in: messageRowIds } }, { createdAt: 1 }).lean()
  if (replies.length === 0) return
  const old = replies.filter(({ createdAt }) => mayHaveExpired(createdAt)).map(({ _id }) => _id)
  await ctx.deliveries.deleteMany({ _id: { $in: old }, state: { $in: ['sent', 'failed', 'unknown'] } })
  await ctx.replies.deleteMany({ _id: { $in: replies.map(({ _id }) => _id) } })
}

const SWEEP_EVERY_MS = 6 * 60 * 60 * 1000

/**
 * Deletes mail that is older than it is to be kept, at the start and then every six hours. It needs no index of its own, which
 * each mail would pay for as it arrives. Any number of replicas may: deleting twice is deleting once.
 */
export function sweepExpiredMail(ctx: Context): AsyncDisposable | undefined {
  const { mailKeptDays } = ctx.config
  if (mailKeptDays === undefined) return undefined
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: async (signal) => {
      await expireMail(ctx, daysAgo(mailKeptDays), signal)
      return false
    },
    failureMessage: 'mail that is older than it is kept could not be deleted yet',
    logger: ctx.logger,
  })
}

/**
 * The least time a mail, and the record that one was sent, is kept: longer than any server tries to deliver the same mail again
 * (RFC 5321 section 4.5.4.1), so that none is there twice.
 */
export const LEAST_KEPT_DAYS = 7

/** Whether records made at this time may have expired. */
export function mayHaveExpired(madeAt: Date): boolean {
  return madeAt < daysAgo(LEAST_KEPT_DAYS)
}

export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 24 * 60 * 60 * 1000)
}

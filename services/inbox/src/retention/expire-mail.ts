import { deleteRows } from '@family-inbox/service-kit/delete-rows'
import type { Context } from '../context.ts'
import { mayHaveExpired } from './least-kept.ts'

const AT_ONCE = 100

type Inbox = { workspaceId: string; lovedOneId: string }

/** Deletes all mail that was received before a time, inbox by inbox, with what was noted about it and the answers to it. */
export async function expireMail(ctx: Context, before: Date, signal: AbortSignal): Promise<void> {
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
    await forgetMessages(ctx, ids)
    ids = []
  }
  if (ids.length > 0) await forgetMessages(ctx, ids)
}

/** The messages last: when this is cut short they are found again, and with them what is left. */
async function forgetMessages(ctx: Context, all: string[]): Promise<void> {
  // What is being answered at this moment is there until the answer is on its way; the next sweep finds it.
  const answered = await ctx.replies.distinct('messageRowId', { messageRowId: { $in: all }, mailQueuedAt: null })
  const ids = all.filter((id) => !answered.includes(id))
  await ctx.indexEntries.deleteMany({ _id: { $in: ids } })
  await ctx.readMarks.deleteMany({ messageRowId: { $in: ids } })
  await forgetReplies(ctx, ids)
  await ctx.messages.deleteMany({ _id: { $in: ids } })
}

/** The record of a mail that may still be in the queue stays, whatever becomes of its reply: it keeps it from being sent twice. */
async function forgetReplies(ctx: Context, messageRowIds: string[]): Promise<void> {
  const replies = await ctx.replies.find({ messageRowId: { $in: messageRowIds } }, { createdAt: 1 }).lean()
  if (replies.length === 0) return
  const old = replies.filter(({ createdAt }) => mayHaveExpired(createdAt)).map(({ _id }) => _id)
  await ctx.deliveries.deleteMany({ _id: { $in: old }, state: { $in: ['sent', 'failed', 'unknown'] } })
  await ctx.replies.deleteMany({ _id: { $in: replies.map(({ _id }) => _id) } })
}

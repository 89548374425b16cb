import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { deleteRows } from '@family-inbox/service-kit/mongo/rows'
import { daysAgo } from '@family-inbox/service-kit/time/days'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'
import { type DeliveryState, mayHaveExpired } from '../models/delivery.ts'
import { conversationOf, messageRowId } from '../models/message.ts'
import { removeFilesOf } from '../replying/reply-files.ts'

const BATCH_SIZE = 100

const IN_PROGRESS: DeliveryState[] = ['queued', 'handing_over']

const PAUSE_MS = 6 * 60 * 60 * 1000

type Inbox = { workspaceId: string; lovedOneId: string }

async function expireMail(ctx: Context, before: Date, signal: AbortSignal): Promise<void> {
  const inboxes = ctx.inboxAddresses.find({ removedAt: null }, { workspaceId: 1, lovedOneId: 1 }).lean()
  for await (const { workspaceId, lovedOneId } of inboxes.cursor()) {
    if (signal.aborted) return
    await expireInbox(ctx, { workspaceId, lovedOneId }, before, signal)
  }
  // A piece's date is that of its latest mail, so older ones belong to no message.
  if (!signal.aborted) await deleteRows(ctx.originals.collection, { receivedAt: { $lt: before } })
}

async function expireInbox(ctx: Context, inbox: Inbox, before: Date, signal: AbortSignal): Promise<void> {
  const expired = ctx.messages
    .find({ ...inbox, receivedAt: { $lt: before } }, { _id: 1 })
    .sort({ receivedAt: 1, _id: 1 })
    .lean()
    .cursor({ batchSize: BATCH_SIZE })
  let ids: string[] = []
  for await (const { _id } of expired) {
    if (signal.aborted) return
    ids.push(_id)
    if (ids.length < BATCH_SIZE) continue
    await removeMessages(ctx, ids)
    ids = []
  }
  if (ids.length > 0) await removeMessages(ctx, ids)
}

/** Messages go last, so that an interrupted sweep finds them again. */
async function removeMessages(ctx: Context, all: string[]): Promise<void> {
  const unsent = await findUnsent(ctx, all)
  const ids = all.filter((id) => !unsent.has(id))
  await deleteOwned(ctx.connection, 'messageRowId', ids)
  await removeStatuses(ctx, ids)
  await removeReplies(ctx, ids)
  await removeFilesOf(ctx, ids)
  await ctx.messages.deleteMany({ _id: { $in: ids } })
  // Once more: arriving/read-files.ts may have stored one since, and looks for its message only afterwards.
  await ctx.attachmentTexts.deleteMany({ _id: { $in: ids } })
}

/** Messages with a reply that may still be sent, which needs its row and its files. They stay until the next sweep. */
async function findUnsent(ctx: Context, messageRowIds: string[]): Promise<Set<string>> {
  const replies = await ctx.replies
    .find({ messageRowId: { $in: messageRowIds } }, { messageRowId: 1, mailQueuedAt: 1 })
    .lean()
  const ids = replies.map(({ _id }) => _id)
  const inProgress = await ctx.deliveries.distinct('_id', { _id: { $in: ids }, state: { $in: IN_PROGRESS } })
  const unsent = replies.filter(({ _id, mailQueuedAt }) => mailQueuedAt === undefined || inProgress.includes(_id))
  return new Set(unsent.map(({ messageRowId }) => messageRowId))
}

async function removeStatuses(ctx: Context, messageRowIds: string[]): Promise<void> {
  const rows = await ctx.messages
    .find({ _id: { $in: messageRowIds } }, { workspaceId: 1, lovedOneId: 1, conversationId: 1 })
    .lean()
  const [first] = rows
  if (first === undefined) return
  const { workspaceId, lovedOneId } = first
  const left = new Set(
    await ctx.indexEntries.distinct('conversationId', {
      workspaceId,
      lovedOneId,
      conversationId: { $in: rows.map(conversationOf) },
    }),
  )
  const ended = rows.filter((row) => !left.has(conversationOf(row)))
  await ctx.conversationStatuses.deleteMany({
    _id: { $in: ended.map((row) => messageRowId(row, conversationOf(row))) },
  })
}

/** Keeps the record of a mail that may still be queued: it prevents a second send. */
async function removeReplies(ctx: Context, messageRowIds: string[]): Promise<void> {
  const replies = await ctx.replies.find({ messageRowId: { $in: messageRowIds } }, { createdAt: 1 }).lean()
  if (replies.length === 0) return
  const old = replies.filter(({ createdAt }) => mayHaveExpired(createdAt)).map(({ _id }) => _id)
  await ctx.deliveries.deleteMany({ _id: { $in: old }, state: { $in: ['sent', 'failed', 'unknown'] } })
  await ctx.replies.deleteMany({ _id: { $in: replies.map(({ _id }) => _id) } })
}

/** Runs at startup and every six hours. Uses no index, which every arriving mail would pay for. */
export function sweepExpiredMail(ctx: Context): AsyncDisposable | undefined {
  const { mailKeptDays } = ctx.config
  if (mailKeptDays === undefined) return undefined
  return startSweeper({
    pauseMs: PAUSE_MS,
    sweep: async (signal) => {
      await expireMail(ctx, daysAgo(mailKeptDays), signal)
      return false
    },
    failureMessage: 'expired mail could not be deleted',
    logger: ctx.logger,
  })
}

import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { deleteRows } from '@family-inbox/service-kit/mongo/rows'
import { daysAgo } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { removeEndedStatuses } from '../conversations/remove-ended-statuses.ts'
import { conversationOf } from '../models/message.ts'
import { findUnsent, removeForGood } from './remove-for-good.ts'

const BATCH_SIZE = 100

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

/** Messages with a reply that may still be sent stay until the next sweep. */
async function removeMessages(ctx: Context, all: string[]): Promise<void> {
  const unsent = await findUnsent(ctx, all)
  const ids = all.filter((id) => !unsent.has(id))
  await removeForGood(ctx, ids, async () => {
    await removeStatuses(ctx, ids)
    await ctx.messages.deleteMany({ _id: { $in: ids } })
  })
}

async function removeStatuses(ctx: Context, messageRowIds: string[]): Promise<void> {
  const rows = await ctx.messages
    .find({ _id: { $in: messageRowIds } }, { workspaceId: 1, lovedOneId: 1, conversationId: 1 })
    .lean()
  await removeEndedStatuses(
    ctx,
    rows.map((row) => ({ ...row, conversationId: conversationOf(row) })),
  )
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

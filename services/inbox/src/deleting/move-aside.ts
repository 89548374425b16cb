import { describeError } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { KEPT_MS, type MessageAside, movedTogether, type Place } from '../models/message-aside.ts'
import { finishMoves } from './finish-moves.ts'

/** While the calendar's stream is away, a sweep ends the move. */
const ENDED_WITHIN_MS = 1000

export type Move = {
  place: Place
  by: { personId: string; name: string }
  /** Deletes it for good as soon as no reply to it is on its way. */
  isNow: boolean
}

/**
 * Moves messages of one inbox out of it, together. They are in their new place before they leave the old one, so no crash loses one;
 * what a crash leaves undone, a sweep ends.
 * @param ids of their rows, the newest first
 * @returns how many were still there
 */
export async function moveAside(ctx: Context, [headId = '', ...others]: string[], move: Move): Promise<number> {
  const ids = [headId, ...others]
  const { place, by, isNow } = move
  const now = new Date()
  await ctx.messages.collection
    .aggregate([
      { $match: { _id: { $in: ids } } },
      {
        $replaceWith: {
          _id: '$_id',
          workspaceId: '$workspaceId',
          lovedOneId: '$lovedOneId',
          place,
          headId: { $cond: [{ $eq: ['$_id', { $literal: headId }] }, '$$REMOVE', { $literal: headId }] },
          messages: { $cond: [{ $eq: ['$_id', { $literal: headId }] }, ids.length, '$$REMOVE'] },
          movedAt: now,
          movedBy: { $literal: { personId: by.personId, name: by.name } },
          ...(isNow && { isPurged: true }),
          purgeAt: isNow ? now : { $min: [new Date(now.getTime() + KEPT_MS), ...expiry(ctx)] },
          moving: 'out',
          withdraws: place === 'junk' || isNow,
          message: '$$ROOT',
        },
      },
      { $merge: { into: ctx.messagesAside.collection.collectionName, whenMatched: 'replace' } },
    ])
    .toArray()
  crashPoint('moved-aside')
  const rows = await ctx.messagesAside.find({ _id: { $in: ids }, moving: 'out' }).lean<MessageAside[]>()
  await endSoon(ctx, rows)
  if (isNow) ctx.wake.purge()
  return rows.length
}

/** Puts back what was moved together. @returns whether there was something */
export async function moveBack(ctx: Context, headId: string): Promise<boolean> {
  const together = movedTogether(headId)
  const { matchedCount } = await ctx.messagesAside.updateMany(together, { $set: { moving: 'back' } })
  if (matchedCount === 0) return false
  await endSoon(ctx, await ctx.messagesAside.find({ ...together, moving: 'back' }).lean<MessageAside[]>())
  return true
}

/** The decision is durable already, so a failure here only delays the rest. */
async function endSoon(ctx: Context, rows: MessageAside[]): Promise<void> {
  try {
    await raceDeadline(finishMoves(ctx, rows), Date.now() + ENDED_WITHIN_MS)
  } catch (error) {
    ctx.logger.warn(describeError(error), 'a move to or from Junk or Deleted has not ended; retrying')
    ctx.wake.aside()
  }
}

/** Mail is never kept longer because somebody deleted it. */
function expiry({ config }: Context): object[] {
  const { mailKeptDays } = config
  return mailKeptDays === undefined ? [] : [{ $add: ['$receivedAt', mailKeptDays * DAY_MS] }]
}

/** How a message looks that never was in the inbox, because the filter keeps its sender out. */
export function filteredRow({ config }: Context, message: MessageAside['message']): MessageAside {
  const { _id, workspaceId, lovedOneId, receivedAt } = message
  const keptMs = Math.min(KEPT_MS, (config.mailKeptDays ?? Number.POSITIVE_INFINITY) * DAY_MS)
  const purgeAt = new Date(receivedAt.getTime() + keptMs)
  return { _id, workspaceId, lovedOneId, place: 'junk', messages: 1, movedAt: receivedAt, purgeAt, message }
}

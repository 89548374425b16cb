import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { conversationKeys } from '../models/conversation-keys.ts'
import { HEARD_FIELDS, type HeardRow, heardFrom } from '../models/correspondent.ts'
import { LINKED_FIELDS, type LinkedRow } from './find-linked.ts'
import { followMoved } from './follow-moved.ts'
import { joinConversation } from './join-conversation.ts'

const BATCH = 100
/** A mail is a conversation of its own until it is indexed and its check has ended. */
const JOINABLE = { joinPending: true, indexPending: null } as const

/** Mail joins its conversation after its check, since what is proven decides. A crash repeats a join, which has no effect. */
export function joinCheckedMail(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.messages, 'receivedAt', JOINABLE),
    sweep: () => joinSome(ctx),
    wake: ctx.wake.joins,
    failureMessage: 'mail could not join its conversation; will retry',
    logger: ctx.logger,
  })
}

async function joinSome(ctx: Context): Promise<boolean> {
  const rows = await ctx.messages
    .find(JOINABLE, { ...LINKED_FIELDS, ...HEARD_FIELDS })
    .sort({ receivedAt: 1 })
    .limit(BATCH)
    .lean<(LinkedRow & HeardRow)[]>()
  const ended: string[] = []
  let failure: unknown
  // Joins in an inbox conflict, so they take turns.
  for (const row of rows) {
    try {
      if (await hasEnded(ctx, row)) ended.push(row._id)
    } catch (error) {
      failure ??= error
    }
  }
  if (ended.length > 0) await ctx.messages.updateMany({ _id: { $in: ended } }, { $unset: { joinPending: 1 } })
  if (failure !== undefined) throw failure
  return rows.length === BATCH && ended.length > 0
}

/** The lists show the message already, so they change once more when it has joined. */
async function hasEnded(ctx: Context, row: LinkedRow & HeardRow): Promise<boolean> {
  const { _id, workspaceId, lovedOneId } = row
  // The check has found who wrote it.
  if (row.forwardedByMember)
    await ctx.indexEntries.updateOne({ _id }, { $addToSet: { conversation: { $each: conversationKeys(row).own } } })
  const outcome = await joinConversation(ctx, row)
  const heard = outcome === 'waits' ? undefined : heardFrom(row)
  if (heard) await ctx.correspondents.bulkWrite([heard])
  if (outcome === 'alone') await followMoved(ctx, row)
  if (outcome === 'joined') ctx.liveUpdates.announce(workspaceId, { lovedOneId })
  return outcome !== 'waits'
}

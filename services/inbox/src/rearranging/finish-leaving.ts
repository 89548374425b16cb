import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { withdrawEvents } from '../deleting/finish-moves.ts'
import { removeOriginal } from '../deleting/purge-aside.ts'
import { publicIdOf } from '../models/message.ts'
import type { MovedMessage } from '../models/moved-message.ts'
import { carryOver, carryStatus } from './carry-over.ts'

const BATCH = 100
/** Longer than any request: what was written under the old id when the message was moved is there by then. */
const AGAIN_MS = 15_000

/** Removes what is left of a message in the inbox that it was moved out of: at once, and once more later. Each step can be repeated. */
export function finishLeaving(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.movedMessages, 'finishAt'),
    sweep: () => finishSome(ctx),
    wake: ctx.wake.leaving,
    failureMessage: 'what is left of moved mail could not be removed; retrying',
    logger: ctx.logger,
  })
}

async function finishSome(ctx: Context): Promise<boolean> {
  const due = { finishAt: { $lte: new Date() } }
  const rows = await ctx.movedMessages.find(due).sort({ finishAt: 1 }).limit(BATCH).lean<MovedMessage[]>()
  for (const row of rows) await finishOne(ctx, row)
  return rows.length === BATCH
}

async function finishOne(ctx: Context, row: MovedMessage): Promise<void> {
  const { _id, movedAt, hasCalendar, isComing } = row
  if (isComing !== undefined) return removeCopy(ctx, row)
  if (!(await carryLate(ctx, row))) return
  if (hasCalendar) await withdraw(ctx, row)
  const again = new Date(movedAt.getTime() + AGAIN_MS)
  const isLast = again <= new Date()
  if (isLast) await removeOriginal(ctx, { ...row, message: row }, [])
  const change = isLast ? { $unset: { finishAt: 1 } } : { $set: { finishAt: again } }
  await ctx.movedMessages.updateOne({ _id, movedAt }, change)
  if (isLast) await forgetDeleted(ctx, row)
}

/** Of a move that never ended. One that still tries copies it again, since it no longer finds this row. */
async function removeCopy({ movedMessages, ...ctx }: Context, row: MovedMessage): Promise<void> {
  const { _id, movedAt } = row
  const { matchedCount } = await movedMessages.updateOne({ _id, movedAt }, { $set: { isComing: false } })
  if (matchedCount === 0) return
  await removeOriginal({ movedMessages, ...ctx }, { ...row, message: row }, [])
  await movedMessages.deleteOne({ _id, movedAt })
}

/** False if it was moved back meanwhile: then everything is where it belongs. */
function carryLate({ connection, ...ctx }: Context, row: MovedMessage): Promise<boolean> {
  const { _id, workspaceId, lovedOneId, toLovedOneId, messageRowId: to, movedAt, conversationId } = row
  return connection.transaction(async (session) => {
    // A write: a move back at the same moment is a conflict, and the transaction looks again.
    const isLeft = { _id, movedAt, messageRowId: to }
    const { matchedCount } = await ctx.movedMessages.updateOne(isLeft, { $set: { finishAt: new Date() } }, { session })
    if (matchedCount === 0) return false
    // A copy of it that was being stored meanwhile.
    await ctx.messages.deleteOne({ _id }, { session })
    await carryOver({ connection, ...ctx }, [{ from: _id, to, lovedOneId: toLovedOneId }], session)
    const [from, there] = [
      { workspaceId, lovedOneId },
      { workspaceId, lovedOneId: toLovedOneId },
    ]
    const isEmpty = (await ctx.indexEntries.exists({ ...from, conversationId }).session(session)) === null
    if (isEmpty) await carryStatus(ctx, { from, to: there, conversationId }, session)
    return true
  })
}

/** Of the calendar of the loved one whose inbox it left. If it is back by now, that calendar hears so after this. */
async function withdraw(ctx: Context, row: MovedMessage): Promise<void> {
  const { _id, workspaceId, lovedOneId, movedAt: receivedAt } = row
  await withdrawEvents(ctx, { workspaceId, lovedOneId, messageId: publicIdOf({ _id }), receivedAt })
  const { modifiedCount } = await ctx.messages.updateOne(
    { _id, calendarAt: { $exists: true } },
    { $set: { calendarPending: true } },
  )
  if (modifiedCount > 0) ctx.wake.calendar()
}

/** Of a message that was deleted for good before this, nothing stays. */
async function forgetDeleted(ctx: Context, { _id, messageRowId }: MovedMessage): Promise<void> {
  const [kept, aside] = await Promise.all([
    ctx.messages.exists({ _id: messageRowId }),
    ctx.messagesAside.exists({ _id: messageRowId }),
  ])
  if (kept === null && aside === null) await ctx.movedMessages.deleteOne({ _id, messageRowId })
}

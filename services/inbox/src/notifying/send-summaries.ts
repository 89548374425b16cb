import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { notificationSettingId } from '../models/notification-setting.ts'
import { nextMonday } from './next-morning.ts'
import { type DueSummary, writeSummary } from './write-summary.ts'

/** Another replica then takes over. */
const LEASE_MS = 20_000
/** A call is recorded when it ends, so a summary ends this much earlier. */
const STORE_MS = 12_000

export const NO_SUMMARY = { summaryDueAt: 1, summarizedUpTo: 1, summaryUpTo: 1 } as const

/** Safe on any number of replicas: one claims each summary, and a repeated one has the same mail id. */
export function sendSummaries(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.notificationSettings, 'summaryDueAt'),
    sweep: () => handleNext(ctx),
    failureMessage: 'a weekly summary could not be sent; retrying',
    logger: ctx.logger,
  })
}

async function handleNext(ctx: Context): Promise<boolean> {
  const setting = await claimDue(ctx)
  if (setting === null) return false
  const { _id, changedAt, summaryUpTo, timeZone } = setting
  if ((await writeSummary(ctx, setting)) === 'no member') {
    await ctx.notificationSettings.deleteOne({ _id, changedAt })
    return true
  }
  // Skips a person who turned it off meanwhile.
  await ctx.notificationSettings.updateOne(
    { _id, summaryUpTo },
    { $set: { summarizedUpTo: summaryUpTo, summaryDueAt: summaryDueAt(timeZone) }, $unset: { summaryUpTo: 1 } },
  )
  return true
}

/** Claims the longest due. Its end is fixed at the first claim. */
async function claimDue(ctx: Context): Promise<DueSummary | null> {
  const upTo = { $subtract: ['$$NOW', Math.min(STORE_MS, ctx.config.notificationDelayMs / 2)] }
  return ctx.notificationSettings
    .findOneAndUpdate(
      { summaryDueAt: { $lte: new Date() } },
      [{ $set: { summaryUpTo: { $ifNull: ['$summaryUpTo', upTo] }, summaryDueAt: { $add: ['$$NOW', LEASE_MS] } } }],
      { sort: { summaryDueAt: 1 }, returnDocument: 'after', updatePipeline: true },
    )
    .lean<DueSummary>()
}

function summaryDueAt(timeZone: string): Date {
  return new Date(nextMonday(new Date(), timeZone).getTime() + STORE_MS)
}

/** For a member whose setting has its row. A summary in progress is finished first. */
export async function chooseSummary(
  ctx: Context,
  { workspaceId, personId }: { workspaceId: string; personId: string },
  isWanted: boolean,
): Promise<void> {
  const _id = notificationSettingId(workspaceId, personId)
  const { timeZone } = await ctx.notificationSettings.findById(_id, { timeZone: 1 }).lean().orFail()
  const inProgress = { $ne: [{ $type: '$summaryUpTo' }, 'missing'] }
  const chosen = {
    summarizedUpTo: { $ifNull: ['$summarizedUpTo', '$$NOW'] },
    summaryDueAt: { $cond: [inProgress, '$summaryDueAt', summaryDueAt(timeZone)] },
  }
  if (isWanted) await ctx.notificationSettings.updateOne({ _id }, [{ $set: chosen }], { updatePipeline: true })
  else await ctx.notificationSettings.updateOne({ _id }, { $unset: NO_SUMMARY })
}

import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { type DueRows, sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import type { Context } from '../context.ts'
import { notificationSettingId } from '../models/notification-setting.ts'
import { nextMonday } from './next-morning.ts'
import { type DueSummary, writeSummary } from './write-summary.ts'

/** A call is recorded when it ends, so a summary ends this much earlier. */
const STORE_MS = 12_000

export const NO_SUMMARY = { summaryDueAt: 1, summarizedUpTo: 1, summaryUpTo: 1 } as const

/** Safe on any number of replicas: one claims each summary, and a repeated one has the same mail id. */
export function sendSummaries(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue(dueSummaries(ctx), (setting: DueSummary) => summarize(ctx, setting)),
    failureMessage: 'a weekly summary could not be sent; retrying',
    logger: ctx.logger,
  })
}

async function summarize(ctx: Context, setting: DueSummary): Promise<void> {
  const { _id, changedAt, summaryUpTo, timeZone } = setting
  if ((await writeSummary(ctx, setting)) === 'no member') {
    await ctx.notificationSettings.deleteOne({ _id, changedAt })
    return
  }
  // Skips a person who turned it off meanwhile.
  await ctx.notificationSettings.updateOne(
    { _id, summaryUpTo },
    { $set: { summarizedUpTo: summaryUpTo, summaryDueAt: summaryDueAt(timeZone) }, $unset: { summaryUpTo: 1 } },
  )
}

/** The end of a summary is fixed at the first claim. */
function dueSummaries({ config, notificationSettings }: Context): DueRows {
  const upTo = { $subtract: ['$$NOW', Math.min(STORE_MS, config.notificationDelayMs / 2)] }
  const set = { summaryUpTo: { $ifNull: ['$summaryUpTo', upTo] } }
  return { rows: notificationSettings, field: 'summaryDueAt', set }
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

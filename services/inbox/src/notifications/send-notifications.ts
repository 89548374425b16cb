import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { nextMorning } from './next-morning.ts'
import { nextNotification } from './note-arrivals.ts'
import { type DueSetting, writeNotification } from './write-notification.ts'

const SWEEP_EVERY_MS = 1000
/** A notice whose writer has not been heard of for so long is taken up by another. */
const LEASE_MS = 20_000
/** A message may be stored so long after it was received; a notice ends so long before it is written, and misses none. */
const STORE_MS = 12_000

/**
 * Writes the notices that are due, for as long as the process lives. Any number of replicas may: each notice is taken up by
 * one of them at a time, and were it written twice it would still be one mail.
 */
export function sendNotifications(ctx: Context): AsyncDisposable {
  // One that cannot be written is due again when its lease ends, and never holds up the others.
  const trouble = 'a notice of new mail could not be written yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => handleNext(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
}

/** Whether there was a notice to write. */
async function handleNext(ctx: Context): Promise<boolean> {
  const setting = await takeUp(ctx)
  if (setting === null) return false
  const written = await writeNotification(ctx, setting)
  if (written === 'no member') await ctx.notificationSettings.deleteOne(underWay(setting))
  else await finish(ctx, setting, written)
  return true
}

/** The longest due, with the end of its notice settled, which does not change however often it is taken up. */
async function takeUp(ctx: Context): Promise<DueSetting | null> {
  const margin = Math.min(STORE_MS, ctx.config.gatherMs / 2)
  const upTo = {
    $cond: [{ $eq: ['$mode', 'digest'] }, { $subtract: ['$dueAt', STORE_MS] }, { $subtract: ['$$NOW', margin] }],
  }
  return ctx.notificationSettings
    .findOneAndUpdate(
      { dueAt: { $lte: new Date() } },
      [{ $set: { notifiedUpTo: { $ifNull: ['$noticeUpTo', upTo] }, dueAt: { $add: ['$$NOW', LEASE_MS] } } }],
      { sort: { dueAt: 1 }, returnDocument: 'after', updatePipeline: true },
    )
    .lean<DueSetting>()
}

/** What was told is told; the next notice is due when mail came meanwhile, or in the morning. */
async function finish(ctx: Context, setting: DueSetting, written: boolean): Promise<void> {
  const cameMeanwhile = { $gt: ['$lastArrivalAt', '$noticeUpTo'] }
  const dueAt =
    setting.mode === 'digest'
      ? digestDueAt(new Date(), setting.timeZone)
      : { $cond: [cameMeanwhile, nextNotification(ctx.config.gatherMs), '$$REMOVE'] }
  await ctx.notificationSettings.updateOne(
    underWay(setting),
    [
      { $set: { toldUpTo: '$noticeUpTo', ...(written && { lastNotificationAt: '$$NOW' }) } },
      { $set: { dueAt } },
      { $unset: 'noticeUpTo' },
    ],
    { updatePipeline: true },
  )
}

/** The setting as it was when its notice was taken up: one that its person changed meanwhile is left as they want it. */
function underWay({ _id, changedAt, notifiedUpTo }: DueSetting) {
  return { _id, changedAt, notifiedUpTo }
}

/** When the next digest is written: a little after eight, when all that came before eight is stored. */
export function digestDueAt(now: Date, timeZone: string): Date {
  return new Date(nextMorning(now, timeZone).getTime() + STORE_MS)
}

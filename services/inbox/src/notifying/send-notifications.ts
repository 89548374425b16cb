import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { type DueRows, sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import type { Context } from '../context.ts'
import { earliestNotification } from '../models/notification-setting.ts'
import { nextMorning } from './next-morning.ts'
import { type DueSetting, writeNotification } from './write-notification.ts'

/** Storing a message may lag this far behind its `receivedAt`, so a notification ends this much earlier. */
const STORE_MS = 12_000

/** Safe on any number of replicas: one claims each notification, and a repeated one has the same mail id. */
export function sendNotifications(ctx: Context): AsyncDisposable {
  // A failed notification is due again when its lease ends and does not block the others.
  const failureMessage = 'a notification could not be sent; retrying'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue(dueSettings(ctx), (setting: DueSetting) => notify(ctx, setting)),
    wake: ctx.wake.notifications,
    failureMessage,
    logger: ctx.logger,
  })
}

async function notify(ctx: Context, setting: DueSetting): Promise<void> {
  const written = await writeNotification(ctx, setting)
  if (written === 'no member') await ctx.notificationSettings.deleteOne(asClaimed(setting))
  else await finish(ctx, setting, written)
}

/** The end of a notification is fixed at the first claim. */
function dueSettings({ config, notificationSettings }: Context): DueRows {
  const margin = Math.min(STORE_MS, config.notificationDelayMs / 2)
  const upTo = {
    $cond: [{ $eq: ['$mode', 'digest'] }, { $subtract: ['$dueAt', STORE_MS] }, { $subtract: ['$$NOW', margin] }],
  }
  return { rows: notificationSettings, field: 'dueAt', set: { pendingUpTo: { $ifNull: ['$pendingUpTo', upTo] } } }
}

async function finish(ctx: Context, setting: DueSetting, written: boolean): Promise<void> {
  const hasNewer = { $gt: ['$lastArrivalAt', '$pendingUpTo'] }
  const dueAt =
    setting.mode === 'digest'
      ? digestDueAt(new Date(), setting.timeZone)
      : { $cond: [hasNewer, earliestNotification(ctx.config.notificationDelayMs), '$$REMOVE'] }
  await ctx.notificationSettings.updateOne(
    asClaimed(setting),
    [
      { $set: { notifiedUpTo: '$pendingUpTo', ...(written && { lastNotificationAt: '$$NOW' }) } },
      { $set: { dueAt } },
      { $unset: 'pendingUpTo' },
    ],
    { updatePipeline: true },
  )
}

/** Matches only if the person has not changed the setting since it was claimed. */
function asClaimed({ _id, changedAt, pendingUpTo }: DueSetting) {
  return { _id, changedAt, pendingUpTo }
}

/** When the next digest is due: after 8:00, once all earlier mail is stored. */
export function digestDueAt(now: Date, timeZone: string): Date {
  return new Date(nextMorning(now, timeZone).getTime() + STORE_MS)
}

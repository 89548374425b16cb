import type { notificationSettingModel } from '../models/notification-setting.ts'

/** The pause after a notification, in delays: a hundred mails make a few notifications. */
const REST_FACTOR = 5

/**
 * Schedules a notification for members who want one for each message. Idempotent.
 * @param notificationDelayMs how long mail is collected into one notification
 */
export async function scheduleNotifications(
  settings: ReturnType<typeof notificationSettingModel>,
  workspaceIds: string[],
  notificationDelayMs: number,
): Promise<void> {
  if (workspaceIds.length === 0) return
  await settings.updateMany(
    { workspaceId: { $in: [...new Set(workspaceIds)] }, mode: 'each' },
    [{ $set: { lastArrivalAt: '$$NOW', dueAt: { $ifNull: ['$dueAt', earliestNotification(notificationDelayMs)] } } }],
    { updatePipeline: true },
  )
}

/** The aggregation expression for the earliest time of the next notification. */
export function earliestNotification(notificationDelayMs: number): object {
  const rested = { $add: [{ $ifNull: ['$lastNotificationAt', new Date(0)] }, REST_FACTOR * notificationDelayMs] }
  return { $max: [{ $add: ['$$NOW', notificationDelayMs] }, rested] }
}

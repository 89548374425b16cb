import type { notificationSettingModel } from '../models/notification-setting.ts'

/** After a notice it takes so many times as long until the next: a mailing of a hundred makes a few, and no hundred. */
const REST_FACTOR = 5

/**
 * Notes that mail arrived in these households, for members who want to hear of each: their notice is due when the time in
 * which mail is gathered is over. Noting it twice is noting it once.
 * @param notificationDelayMs how long mail is gathered into one notice
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

/** The aggregation expression for when a notice may be written at the earliest. */
export function earliestNotification(notificationDelayMs: number): object {
  const rested = { $add: [{ $ifNull: ['$lastNotificationAt', new Date(0)] }, REST_FACTOR * notificationDelayMs] }
  return { $max: [{ $add: ['$$NOW', notificationDelayMs] }, rested] }
}

import { randomText } from '@family-inbox/service-kit/ids/ids'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type NotificationSetting = {
  _id: string
  workspaceId: string
  personId: string
  /** `personal` is only what is meant for this person (models/notice-list.ts). Also without a row. */
  mode: 'none' | 'personal' | 'each' | 'digest'
  timeZone: string
  /** They turned off that notifications can be answered by mail. */
  answersOff?: true
  /** Used in the unsubscribe link; grants nothing else. */
  unsubscribeToken: string
  changedAt: Date
  /** Messages received by this time are covered by earlier notifications or predate the setting. */
  notifiedUpTo: Date
  dueAt?: Date
  /** The end of the notification in progress. Survives a crash, so the retry writes the same mail. */
  pendingUpTo?: Date
  lastArrivalAt?: Date
  lastNotificationAt?: Date
  /** When the next weekly summary is due; absent unless the person chose it. */
  summaryDueAt?: Date
  /** The end of the last summary, or when it was chosen. */
  summarizedUpTo?: Date
  /** The end of the summary in progress, as `pendingUpTo`. */
  summaryUpTo?: Date
}

const TOKEN_LENGTH = 32
/** Counted in delays: a hundred mails make a few notifications. */
const REST_FACTOR = 5

const schema = rowSchema<NotificationSetting>(
  'notification_settings',
  {
    _id: String,
    workspaceId: String,
    personId: String,
    mode: String,
    timeZone: String,
    answersOff: Boolean,
    unsubscribeToken: String,
    changedAt: Date,
    notifiedUpTo: Date,
    dueAt: Date,
    pendingUpTo: Date,
    lastArrivalAt: Date,
    lastNotificationAt: Date,
    summaryDueAt: Date,
    summarizedUpTo: Date,
    summaryUpTo: Date,
  },
  { workspaceId: 'field', personId: 'field' },
  { global: 'an unsubscribe link is looked up before its workspace is known', rowsPerWorkspace: 3, rowBytes: 450 },
)
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ summaryDueAt: 1 }, { sparse: true })
schema.index({ workspaceId: 1, mode: 1 })
schema.index({ personId: 1 })
schema.index({ unsubscribeToken: 1 }, { unique: true })

export function notificationSettingModel(connection: Connection) {
  return connection.model('NotificationSetting', schema)
}

export function notificationSettingId(workspaceId: string, personId: string): string {
  return `${workspaceId}/${personId}`
}

export function newUnsubscribeToken(): string {
  return randomText(TOKEN_LENGTH)
}

/** Idempotent. Leaves members with a daily digest alone. */
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

export function earliestNotification(notificationDelayMs: number): object {
  const rested = { $add: [{ $ifNull: ['$lastNotificationAt', new Date(0)] }, REST_FACTOR * notificationDelayMs] }
  return { $max: [{ $add: ['$$NOW', notificationDelayMs] }, rested] }
}

import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Connection, Schema } from 'mongoose'

/** Whether a person is told by mail of new messages in a household, and how far they have been told. */
export type NotificationSetting = {
  /** `notificationSettingId(workspaceId, personId)`. */
  _id: string
  workspaceId: string
  personId: string
  mode: 'none' | 'each' | 'digest'
  /** An IANA time zone, for the digest. */
  timeZone: string
  /** In the unsubscribe link of each notice; opens nothing else. */
  unsubscribeToken: string
  changedAt: Date
  /** Messages received up to here have been told of, or came before the person asked. */
  notifiedUpTo: Date
  /** When the next notice is to be written. Absent while there is nothing to tell. */
  dueAt?: Date
  /** The end of the notice that is being written: whoever takes up the work of one that died writes the very same. */
  pendingUpTo?: Date
  /** When the latest message arrived that may be worth a notice. */
  lastArrivalAt?: Date
  lastNotificationAt?: Date
}

const TOKEN_LENGTH = 32

const schema = new Schema<NotificationSetting>(
  {
    _id: String,
    workspaceId: String,
    personId: String,
    mode: String,
    timeZone: String,
    unsubscribeToken: String,
    changedAt: Date,
    notifiedUpTo: Date,
    dueAt: Date,
    pendingUpTo: Date,
    lastArrivalAt: Date,
    lastNotificationAt: Date,
  },
  { versionKey: false, collection: 'notification_settings' },
)
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ workspaceId: 1, mode: 1 })
schema.index({ personId: 1 })
schema.index({ unsubscribeToken: 1 }, { unique: true })

export function notificationSettingModel(connection: Connection) {
  return connection.model('NotificationSetting', schema)
}

export function notificationSettingId(workspaceId: string, personId: string): string {
  return `${workspaceId}/${personId}`
}

/** 160 random bits: nobody ends another's notices by guessing. */
export function newUnsubscribeToken(): string {
  return randomText(TOKEN_LENGTH)
}

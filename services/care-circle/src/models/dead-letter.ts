import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { type Connection, Schema } from 'mongoose'

/** An event that fails: the number of tries, and after the last one the event itself. */
export type DeadLetter = {
  /** The event's id, or one derived from the bytes of an unreadable message. */
  _id: string
  /** Empty when the message is unreadable. */
  linkId: string
  workspaceId: string
  institutionId: string
  eventType: string
  receivedAt: Date
  tries: number
  /** The kind of error, without content. */
  reason: string
  /** Set after the last try, with `message` and `subject`. */
  diedAt?: Date
  /** The raw message in base64, to be replayed on `subject`. */
  message?: string
  subject?: string
  /** Set until `diedAt`, so an event that succeeds after all leaves no trace. */
  forgetAt?: Date
}

const schema = new Schema<DeadLetter>(
  {
    _id: String,
    linkId: String,
    workspaceId: String,
    institutionId: String,
    eventType: String,
    receivedAt: Date,
    tries: Number,
    reason: String,
    diedAt: Date,
    message: String,
    subject: String,
    forgetAt: Date,
  },
  { versionKey: false, collection: 'dead_letters' },
)
schema.index({ diedAt: 1, _id: 1 })
schema.index({ linkId: 1 })
schema.index({ workspaceId: 1 })
schema.index({ forgetAt: 1 }, { expireAfterSeconds: 0 })

export function deadLetterModel(connection: Connection, keptDays: number) {
  return connection.model('DeadEvent', schema.clone().index({ diedAt: 1 }, expiresAfter(keptDays)))
}

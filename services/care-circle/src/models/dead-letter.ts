import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { type Connection, Schema } from 'mongoose'

/** An event that cannot be put on a timeline: while it is tried, how often; after the last try, the event itself. */
export type DeadLetter = {
  /** The event's id; of a message that cannot be read, one that follows from its bytes. */
  _id: string
  /** Empty when the message cannot be read. */
  linkId: string
  workspaceId: string
  institutionId: string
  eventType: string
  receivedAt: Date
  tries: number
  /** The kind of trouble, without any content. */
  reason: string
  /** Set, as the two after it, after the last try. */
  diedAt?: Date
  /** The message as it came, in base64, and where it came, to send it again. */
  message?: string
  subject?: string
  /** Set until then: an event that got through after all leaves no trace. */
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

/** @param keptDays after which an event that died expires */
export function deadLetterModel(connection: Connection, keptDays: number) {
  return connection.model('DeadEvent', schema.clone().index({ diedAt: 1 }, expiresAfter(keptDays)))
}

import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** The number of tries, and after the last one the event itself. */
export type DeadLetter = {
  /** Derived from the bytes of an unreadable message. */
  _id: string
  linkId: string
  workspaceId: string
  institutionId: string
  eventType: string
  receivedAt: Date
  tries: number
  /** The kind of error, without content. */
  reason: string
  /** Set after the last try, with `message` and `subject`. */
  deadAt?: Date
  /** Base64. */
  message?: string
  subject?: string
  /** Set until `deadAt`, so an event that succeeds after all leaves no trace. */
  expiresAt?: Date
}

const schema = rowSchema<DeadLetter>(
  'dead_letters',
  {
    _id: String,
    linkId: String,
    workspaceId: String,
    institutionId: String,
    eventType: String,
    receivedAt: Date,
    tries: Number,
    reason: String,
    deadAt: Date,
    message: String,
    subject: String,
    expiresAt: Date,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ deadAt: 1, _id: 1 })
schema.index({ linkId: 1 })
schema.index({ workspaceId: 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function deadLetterModel(connection: Connection, keptDays: number) {
  return connection.model('DeadLetter', schema.clone().index({ deadAt: 1 }, expiresAfter(keptDays)))
}

import { createHash } from 'node:crypto'
import { foldEmail } from '@family-inbox/service-kit/text/text-rules'
import { type Connection, Schema } from 'mongoose'

/**
 * An address that a workspace sends no more mail to: its server refused a mail for good, or its owner complained. Only for the
 * workspace whose mail it was, so that nobody can keep other families from writing to a clinic.
 */
export type StoppedRecipient = {
  /** `stoppedRecipientId(…)`. */
  _id: string
  workspaceId: string
  reason: 'bounce' | 'complaint'
  stoppedAt: Date
  /** Bounces are forgotten, since addresses are repaired; complaints are not. */
  expiresAt?: Date
}

const schema = new Schema<StoppedRecipient>(
  { _id: String, workspaceId: String, reason: String, stoppedAt: Date, expiresAt: Date },
  { versionKey: false, collection: 'stopped_recipients' },
)
schema.index({ workspaceId: 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function stoppedRecipientModel(connection: Connection) {
  return connection.model('StoppedRecipient', schema)
}

/** Names an address without holding it: SHA-256 of its folded spelling, hex. */
export function hashRecipient(address: string): string {
  return createHash('sha256').update(foldEmail(address)).digest('hex')
}

export function stoppedRecipientId(workspaceId: string, recipientHash: string): string {
  return `${workspaceId}/${recipientHash}`
}

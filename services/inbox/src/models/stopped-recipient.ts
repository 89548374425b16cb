import { createHash } from 'node:crypto'
import { foldEmail } from '@family-inbox/service-kit/text/text-rules'
import { type Connection, Schema } from 'mongoose'

/** An address that gets no more mail. Per workspace, so no family can block a clinic for others. */
export type StoppedRecipient = {
  _id: string
  workspaceId: string
  reason: 'bounce' | 'complaint'
  stoppedAt: Date
  /** Bounces expire because addresses get repaired; complaints stay. */
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

export function hashRecipient(address: string): string {
  return createHash('sha256').update(foldEmail(address)).digest('hex')
}

export function stoppedRecipientId(workspaceId: string, recipientHash: string): string {
  return `${workspaceId}/${recipientHash}`
}

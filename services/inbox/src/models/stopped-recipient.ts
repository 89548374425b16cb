import { createHash } from 'node:crypto'
import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type StopReason = 'bounce' | 'complaint'

/** An address that gets no more mail for now. Per workspace, so no family can block a clinic for others. */
export type StoppedRecipient = {
  _id: string
  workspaceId: string
  reason: StopReason
  stoppedAt: Date
  expiresAt: Date
}

/** Addresses get repaired, and people who once complained become clients again. */
export const STOPPED_MS: Record<StopReason, number> = { bounce: 30 * DAY_MS, complaint: 180 * DAY_MS }

const schema = rowSchema<StoppedRecipient>(
  'stopped_recipients',
  {
    _id: String,
    workspaceId: String,
    reason: String,
    stoppedAt: Date,
    expiresAt: Date,
  },
  { workspaceId: 'field' },
  { shardKey: { _id: 1 } },
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

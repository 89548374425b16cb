import { createHash } from 'node:crypto'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A browser of a member that wants pushes (W3C Push API, RFC 8030). */
export type PushDevice = {
  /** From workspace and endpoint, so the same browser has one row. */
  _id: string
  workspaceId: string
  personId: string
  /** Of the member: pushes go beside their mail. */
  email: string
  endpoint: string
  p256dh: string
  auth: string
  browser: string
  addedAt: Date
}

const schema = rowSchema<PushDevice>(
  'push_devices',
  {
    _id: String,
    workspaceId: String,
    personId: String,
    email: String,
    endpoint: String,
    p256dh: String,
    auth: String,
    browser: String,
    addedAt: Date,
  },
  { workspaceId: 'field', personId: 'field' },
)
schema.index({ workspaceId: 1, personId: 1, addedAt: 1 })
schema.index({ workspaceId: 1, email: 1 })
schema.index({ personId: 1 })

export function pushDeviceModel(connection: Connection) {
  return connection.model('PushDevice', schema)
}

export function pushDeviceId(workspaceId: string, endpoint: string): string {
  return `pdv_${createHash('sha256').update(`${workspaceId}\n${endpoint}`).digest('hex').slice(0, 32)}`
}

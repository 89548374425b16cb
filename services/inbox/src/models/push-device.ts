import { createECDH, createHash, type KeyObject } from 'node:crypto'
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
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, personId: 1, addedAt: 1 })
schema.index({ workspaceId: 1, email: 1 })
schema.index({ personId: 1 })

/** The devices, and the keys that sign for them. */
export function openPush(connection: Connection, secret: KeyObject) {
  return { devices: connection.model('PushDevice', schema), keys: pushKeysOf(secret) }
}

export function pushDeviceId(workspaceId: string, endpoint: string): string {
  return `pdv_${createHash('sha256').update(`${workspaceId}\n${endpoint}`).digest('hex').slice(0, 32)}`
}

/**
 * The key pair that signs for this installation (RFC 8292), base64url. It follows from the service's key: after a rotation, push services
 * refuse the old subscriptions, and members turn pushes on again.
 */
function pushKeysOf(secret: KeyObject) {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret.export())
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') }
}

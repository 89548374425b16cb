import type { ToolKey as WireKey } from '@family-inbox/proto/auth/v1/auth'
import type { ToolKey } from './models/tool-key.ts'

/** A tool key as its owner sees it: everything but its hash and its calls. */
export function toWireKey(key: Omit<ToolKey, 'hash' | 'calls'>): WireKey {
  return {
    id: key._id,
    name: key.name,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    revokedAt: key.revokedAt,
    scopes: [...key.scopes],
  }
}

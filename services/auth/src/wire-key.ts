import type { ToolKey as WireKey } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/status-error'
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

/** The one answer for an id that is not a key of the caller's, whether or not it exists elsewhere. */
export function noSuchKey(): StatusError {
  return new StatusError('NOT_FOUND', 'You have no key with this id.', { field: 'keyId' })
}

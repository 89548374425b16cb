import {
  Access,
  type Grant as WireGrant,
  type ToolKey as WireKey,
  type Passkey as WirePasskey,
} from '@family-inbox/proto/auth/v1/auth'
import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Grant } from './models/grant.ts'
import type { Passkey } from './models/passkey.ts'
import type { ToolKey } from './models/tool-key.ts'

export function toWireToolKey(key: Omit<ToolKey, 'hash' | 'calls'>): WireKey {
  return {
    id: key._id,
    name: key.name,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    revokedAt: key.revokedAt,
    scopes: [...key.scopes],
    access: toWireAccess(key.access),
    pausedAt: key.pausedAt,
  }
}

const LIMITED: Partial<Record<Access, LimitedAccess>> = {
  [Access.READ]: 'read',
  [Access.APPROVAL]: 'approval',
}

/** Undefined when it may write. Refuses a choice that a later version added. */
export function fromWireAccess(access: Access = Access.WRITE): LimitedAccess | undefined {
  if (access === Access.UNRECOGNIZED) throw invalidArgument('access', 'access must be read, approval or write.')
  return LIMITED[access]
}

export function toWireAccess(access: LimitedAccess | undefined): Access {
  if (access === undefined) return Access.WRITE
  return access === 'read' ? Access.READ : Access.APPROVAL
}

/** The same error whether or not the id exists elsewhere, as for grants below. */
export function toolKeyNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'You have no tool key with this id.', { field: 'keyId' })
}

export const GRANT_FIELDS = { clientName: 1, scopes: 1, createdAt: 1, lastUsedAt: 1, access: 1, pausedAt: 1 } as const

export function activeGrants(owner: Pick<Grant, 'workspaceId' | 'personId'>) {
  return { ...owner, revokedAt: null, expiresAt: { $gt: new Date() } }
}

export function toWireGrant(grant: Pick<Grant, '_id' | keyof typeof GRANT_FIELDS>): WireGrant {
  const { _id, clientName, scopes, createdAt, lastUsedAt, access, pausedAt } = grant
  return { id: _id, clientName, scopes, createdAt, lastUsedAt, access: toWireAccess(access), pausedAt }
}

export function grantNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'You have no connected app with this id.', { field: 'grantId' })
}

export const PASSKEY_FIELDS = { name: 1, createdAt: 1, lastUsedAt: 1, suspectedAt: 1 } as const

export function toWirePasskey(passkey: Pick<Passkey, '_id' | keyof typeof PASSKEY_FIELDS>): WirePasskey {
  const { _id, name, createdAt, lastUsedAt, suspectedAt } = passkey
  return { id: _id, name, createdAt, lastUsedAt, suspectedAt }
}

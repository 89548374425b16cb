import type { Grant as WireGrant } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Grant } from './models/grant.ts'

/** What of a grant's row its owner sees. */
export const GRANT_FIELDS = { clientName: 1, scopes: 1, createdAt: 1, lastUsedAt: 1 } as const

/** The filter for the applications a person has connected to a household and not disconnected. */
export function liveGrants(owner: Pick<Grant, 'workspaceId' | 'personId'>) {
  return { ...owner, revokedAt: null, expiresAt: { $gt: new Date() } }
}

/** A connected application as its owner sees it. */
export function toWireGrant(grant: Pick<Grant, '_id' | keyof typeof GRANT_FIELDS>): WireGrant {
  const { _id, clientName, scopes, createdAt, lastUsedAt } = grant
  return { id: _id, clientName, scopes, createdAt, lastUsedAt }
}

/** The one answer for an id that is not an application of the caller's, whether or not it exists elsewhere. */
export function noSuchGrant(): StatusError {
  return new StatusError('NOT_FOUND', 'You have connected no application with this id.', { field: 'grantId' })
}

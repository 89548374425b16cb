import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { PartnerSecret } from '../models/partner.ts'
import { isLive, liveSecrets } from '../models/partner.ts'

/**
 * Adds a secret, valid immediately; the previous one expires after the overlap.
 * @throws StatusError FAILED_PRECONDITION while two are live: the partner may still use the older one
 */
export function withRotation(
  secrets: readonly PartnerSecret[],
  fresh: PartnerSecret,
  overlapMs: number,
  now: Date,
): PartnerSecret[] {
  const [live, another] = liveSecrets(secrets, now)
  if (another !== undefined)
    throw new StatusError(
      'FAILED_PRECONDITION',
      `The previous secret is still valid until ${live?.expiresAt?.toISOString()}. Wait until then, or revoke one of the two first.`,
    )
  const expiresAt = new Date(now.getTime() + overlapMs)
  return [...secrets.map((secret) => (secret === live ? { ...secret, expiresAt } : secret)), fresh]
}

/**
 * Revokes a secret. If it is the newest, the previous one becomes current again.
 * @throws StatusError NOT_FOUND, or FAILED_PRECONDITION for the only live secret
 */
export function withRevocation(secrets: readonly PartnerSecret[], id: string, now: Date): PartnerSecret[] {
  const ended = secrets.find((secret) => secret.id === id)
  if (ended === undefined)
    throw new StatusError('NOT_FOUND', 'This partner has no secret with this id.', { field: 'id' })
  if (!isLive(ended, now)) return [...secrets]
  const left = liveSecrets(secrets, now).filter((secret) => secret !== ended)
  if (left.length === 0)
    throw new StatusError('FAILED_PRECONDITION', 'This is the partner’s only valid secret. Rotate it, then revoke it.')
  return secrets.map((secret) => {
    if (secret === ended) return { ...secret, revokedAt: now }
    return left.includes(secret) ? { ...secret, expiresAt: ended.expiresAt ? secret.expiresAt : undefined } : secret
  })
}

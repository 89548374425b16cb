import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { PartnerSecret } from '../models/partner.ts'
import { isLive, liveSecrets } from './change-secrets.ts'

/**
 * The secrets after a new one: it is good at once, and the one before it until the overlap ends.
 * @throws StatusError FAILED_PRECONDITION while two are good, since then one the partner may still use would end
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
      `The secret before is still good until ${live?.expiresAt?.toISOString()}. Wait for that, or revoke one of the two first.`,
    )
  const expiresAt = new Date(now.getTime() + overlapMs)
  return [...secrets.map((secret) => (secret === live ? { ...secret, expiresAt } : secret)), fresh]
}

/**
 * The secrets after one is ended at once. When that is the newest, the one before it is the partner's secret again.
 * @throws StatusError NOT_FOUND, or FAILED_PRECONDITION for the only good one, without which the partner could send nothing
 */
export function withRevocation(secrets: readonly PartnerSecret[], id: string, now: Date): PartnerSecret[] {
  const ended = secrets.find((secret) => secret.id === id)
  if (ended === undefined)
    throw new StatusError('NOT_FOUND', 'This partner has no secret with this id.', { field: 'id' })
  if (!isLive(ended, now)) return [...secrets]
  const left = liveSecrets(secrets, now).filter((secret) => secret !== ended)
  if (left.length === 0)
    throw new StatusError(
      'FAILED_PRECONDITION',
      'This is the only good secret of the partner. Rotate it, then revoke it.',
    )
  return secrets.map((secret) => {
    if (secret === ended) return { ...secret, revokedAt: now }
    return left.includes(secret) ? { ...secret, expiresAt: ended.expiresAt ? secret.expiresAt : undefined } : secret
  })
}

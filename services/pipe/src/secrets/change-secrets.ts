import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Partner, PartnerSecret } from '../models/partner.ts'
import { requirePartner } from '../partners.ts'
import type { SecretBox } from './secret-box.ts'

/**
 * Changes a partner's secrets in one step; of two changes at the same moment one is told to look again. What has ended is
 * forgotten, but for its dates.
 * @param change gives the secrets as they shall be
 * @throws StatusError NOT_FOUND, or UNAVAILABLE for the one that came second
 */
export async function changeSecrets(
  ctx: Context,
  institutionId: string,
  now: Date,
  change: (partner: Partner) => PartnerSecret[],
): Promise<void> {
  const partner = await requirePartner(ctx, institutionId)
  const { secretsRevision } = partner
  const secrets = change(partner).map((secret) => (isLive(secret, now) ? secret : withoutText(secret)))
  const { matchedCount } = await ctx.partners.updateOne(
    { _id: institutionId, secretsRevision },
    { $set: { secrets, secretsRevision: secretsRevision + 1 } },
  )
  if (matchedCount === 0)
    throw new StatusError('UNAVAILABLE', 'The secrets of this partner were changed at this very moment. Try again.')
}

function withoutText({ sealed: _sealed, ...dates }: PartnerSecret): PartnerSecret {
  return dates
}

/** Makes a secret for a partner: 260 random bits as text, whose bytes are the HMAC key, and the row that keeps it encrypted. */
export function newSecret(
  box: SecretBox,
  partner: Pick<Partner, '_id'>,
  now: Date,
): { secret: string; row: PartnerSecret } {
  const secret = `pipe_${randomText(52)}`
  const id = newId('sec')
  return { secret, row: { id, createdAt: now, sealed: box.seal(secret, sealContext(partner, { id })) } }
}

/** The secrets whose signatures are accepted at this moment, newest last: two at most. */
export function liveSecrets(secrets: readonly PartnerSecret[], now: Date): PartnerSecret[] {
  return secrets.filter((secret) => isLive(secret, now))
}

export function isLive({ expiresAt, revokedAt, sealed }: PartnerSecret, now: Date): boolean {
  return sealed !== undefined && revokedAt === undefined && (expiresAt === undefined || expiresAt > now)
}

/** A secret opens only as the one it is: moved to another partner or another id it is worthless. */
export function sealContext(partner: Pick<Partner, '_id'>, secret: Pick<PartnerSecret, 'id'>): string {
  return `${partner._id}\n${secret.id}`
}

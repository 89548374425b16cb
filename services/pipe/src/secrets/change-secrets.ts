import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Partner, PartnerSecret } from '../models/partner.ts'
import { requirePartner } from '../partners.ts'
import { isLive } from './live-secrets.ts'

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

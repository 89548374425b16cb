import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { isLive, type Partner, type PartnerSecret, sealContext } from '../models/partner.ts'
import { requirePartner } from '../partners.ts'
import type { SecretBox } from './secret-box.ts'

/**
 * Changes a partner's secrets with optimistic locking. Deletes ended secrets but keeps their dates.
 * @param change returns the new list of secrets
 * @throws StatusError NOT_FOUND, or UNAVAILABLE when another change came first
 */
export async function changeSecrets(
  ctx: Context,
  institutionId: string,
  now: Date,
  change: (partner: Partner) => PartnerSecret[],
): Promise<void> {
  const partner = await requirePartner(ctx, institutionId)
  const { secretsRevision } = partner
  const secrets = change(partner).map((secret) => (isLive(secret, now) ? secret : withoutSecret(secret)))
  const { matchedCount } = await ctx.partners.updateOne(
    { _id: institutionId, secretsRevision },
    { $set: { secrets, secretsRevision: secretsRevision + 1 } },
  )
  if (matchedCount === 0)
    throw new StatusError('UNAVAILABLE', 'Someone else changed this partner’s secrets at the same time. Try again.')
}

function withoutSecret({ sealed: _sealed, ...dates }: PartnerSecret): PartnerSecret {
  return dates
}

/** Creates a secret (260 random bits as text; its bytes are the HMAC key) and its encrypted row. */
export function newSecret(
  box: SecretBox,
  partner: Pick<Partner, '_id'>,
  now: Date,
): { secret: string; row: PartnerSecret } {
  const secret = `pipe_${randomText(52)}`
  const id = newId('sec')
  return { secret, row: { id, createdAt: now, sealed: box.seal(secret, sealContext(partner, { id })) } }
}

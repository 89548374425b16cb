import type { SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'
import { isLive, liveSecrets, type Partner, type PartnerSecret, sealContext } from './models/partner.ts'
import { requirePartner } from './partners.ts'

/** Optimistic locking. @throws StatusError NOT_FOUND, or UNAVAILABLE when another change came first */
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

/** 260 random bits as text; its bytes are the HMAC key. */
export function newSecret(
  box: SecretBox,
  partner: Pick<Partner, '_id'>,
  now: Date,
): { secret: string; row: PartnerSecret } {
  const secret = `pipe_${randomText(52)}`
  const id = newId('sec')
  return { secret, row: { id, createdAt: now, sealed: box.seal(secret, sealContext(partner, { id })) } }
}

/** Refused while two are live: the partner may still use the older one. @throws StatusError FAILED_PRECONDITION */
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

/** If it was the newest, the previous one becomes current again. @throws StatusError NOT_FOUND, FAILED_PRECONDITION */
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

/** So that older keys can be removed from the settings. A concurrent change wins; the next start tries again. */
export async function resealSecrets(ctx: Context): Promise<number> {
  let count = 0
  for await (const partner of ctx.partners.find().lean<Partner>().cursor()) {
    const isStale = ({ sealed }: PartnerSecret) => sealed !== undefined && !ctx.secretBox.isCurrent(sealed)
    if (!partner.secrets.some(isStale)) continue
    const secrets = partner.secrets.map((secret) => (isStale(secret) ? reseal(ctx, partner, secret) : secret))
    const { modifiedCount } = await ctx.partners.updateOne(
      { _id: partner._id, secretsRevision: partner.secretsRevision },
      { $set: { secrets, secretsRevision: partner.secretsRevision + 1 } },
    )
    count += modifiedCount
  }
  return count
}

function reseal({ secretBox }: Context, partner: Partner, secret: PartnerSecret): PartnerSecret {
  const context = sealContext(partner, secret)
  return { ...secret, sealed: secretBox.seal(secretBox.open(secret.sealed ?? '', context), context) }
}

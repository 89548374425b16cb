import type { Context } from '../context.ts'
import type { Partner, PartnerSecret } from '../models/partner.ts'
import { sealContext } from './change-secrets.ts'

/**
 * Encrypts with the first key what is encrypted with another, so that the other can be taken out of the settings. A change of
 * the secrets at the same moment wins; this comes again at the next start.
 * @returns how many secrets it encrypted again
 */
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

import type { Context } from '../context.ts'
import type { Partner, PartnerSecret } from '../models/partner.ts'
import { sealContext } from '../models/partner.ts'

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

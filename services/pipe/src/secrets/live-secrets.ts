import type { Partner, PartnerSecret } from '../models/partner.ts'

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

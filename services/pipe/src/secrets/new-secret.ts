import { newId, randomText } from '@family-inbox/service-kit/ids'
import type { Partner, PartnerSecret } from '../models/partner.ts'
import { sealContext } from './live-secrets.ts'
import type { SecretBox } from './secret-box.ts'

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

import { createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Partner } from '../models/partner.ts'
import { liveSecrets, sealContext } from './live-secrets.ts'
import type { SecretBox } from './secret-box.ts'

export type SigningKeys = (partner: Pick<Partner, '_id' | 'secrets'>, now: Date) => KeyObject[]

/**
 * Makes what opens a partner's live secrets. Opened ones are remembered by their ciphertext, which saves decrypting and
 * decides nothing: whether a secret is live is read from the partner's row at each event.
 */
export function createSigningKeys(box: SecretBox): SigningKeys {
  const opened = new LRUCache<string, KeyObject>({ max: 10_000 })
  return (partner, now) =>
    liveSecrets(partner.secrets, now).map((secret) => {
      const sealed = secret.sealed ?? ''
      const known = opened.get(sealed)
      if (known !== undefined) return known
      const key = createSecretKey(box.open(sealed, sealContext(partner, secret)), 'utf8')
      opened.set(sealed, key)
      return key
    })
}

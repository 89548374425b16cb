import { createSecretKey, type KeyObject } from 'node:crypto'
import type { SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { LRUCache } from 'lru-cache'
import { liveSecrets, type Partner, sealContext } from './models/partner.ts'

export type SigningKeys = (partner: Pick<Partner, '_id' | 'secrets'>, now: Date) => KeyObject[]

/** The cache is keyed by ciphertext and only saves decrypting: the row decides which secrets are live. */
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

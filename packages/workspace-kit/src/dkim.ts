import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'

/** Labels of a DNS name (RFC 6376 3.1), such as `inbox` or `2026.inbox`. */
export const dkimSelector = z
  .string()
  .toLowerCase()
  .max(63)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/)

/** A private key as PEM. RSA only: receivers may not know another algorithm. */
export const dkimKey = z.string().transform((pem, ctx) => {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {}
  ctx.addIssue({ code: 'custom', message: 'no RSA key' })
  return z.NEVER
})

export type DkimRecord = { name: string; value: string }

/** What receivers look up in DNS (RFC 6376 3.6): a TXT record. `domain` is that of From, so that DMARC counts the signature. */
export function dkimRecord({
  selector,
  domain,
  key,
}: {
  selector: string
  domain: string
  key: KeyObject
}): DkimRecord {
  const bytes = createPublicKey(key.export({ type: 'pkcs8', format: 'pem' })).export({ type: 'spki', format: 'der' })
  return { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${bytes.toString('base64')}` }
}

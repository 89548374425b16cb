import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16

/** AES-256-GCM (NIST SP 800-38D). The same context opens what it sealed. */
export type SecretBox = {
  seal(secret: string, context: string): string
  open(sealed: string, context: string): string
  isCurrent(sealed: string): boolean
}

/** @param keys 32 bytes each: the first one encrypts, all decrypt */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const byId = new Map(keys.map((key) => [idOf(key), key]))
  const [currentId = '', currentKey = Buffer.alloc(0)] = [...byId][0] ?? []
  return {
    seal(secret, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv(ALGORITHM, currentKey, iv).setAAD(Buffer.from(context))
      const bytes = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${currentId}.${bytes.toString('base64url')}`
    },
    open(sealed, context) {
      const [id = '', text = ''] = sealed.split('.')
      const key = byId.get(id)
      if (key === undefined) throw new Error('a secret is encrypted with a key that is not configured')
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, 12), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(12, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
    isCurrent: (sealed) => sealed.startsWith(`${currentId}.`),
  }
}

function idOf(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest('base64url').slice(0, 11)
}

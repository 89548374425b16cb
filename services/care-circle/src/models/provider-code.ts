import { createHmac, type KeyObject } from 'node:crypto'
import { type Connection, Schema } from 'mongoose'

/** A code by which a care agency is linked to one loved one. Gone when it is voided. */
export type ProviderCode = {
  _id: string
  workspaceId: string
  lovedOneId: string
  /** The code itself is in no place but the answer that minted it. */
  codeHash: string
  /** Its last two characters, to tell codes apart. */
  ending: string
  /** The member who minted it. */
  createdBy: string
  createdAt: Date
  expiresAt: Date
  /** Names the request that minted it, once for a member and a loved one; absent when that had no name. */
  idempotencyKey?: string
  /** Which use of the code it was spent on; absent while it is unused. */
  redemptionId?: string
}

/** How long after its end a code is kept, to answer a repeated redemption. */
const KEPT_AFTER_END_SEC = 30 * 24 * 60 * 60

const schema = new Schema<ProviderCode>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    codeHash: String,
    ending: String,
    createdBy: String,
    createdAt: Date,
    expiresAt: Date,
    idempotencyKey: String,
    redemptionId: String,
  },
  { versionKey: false, collection: 'provider_codes' },
)
schema.index({ codeHash: 1 }, { unique: true })
schema.index({ workspaceId: 1, createdAt: -1 })
schema.index(
  { workspaceId: 1, createdBy: 1, lovedOneId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_END_SEC })

export function providerCodeModel(connection: Connection) {
  return connection.model('ProviderCode', schema)
}

/** The form a code is stored in. Keyed, since 40 bits alone would be tried out in minutes by whoever gets hold of the data. */
export function hashProviderCode(key: KeyObject, code: string): string {
  return createHmac('sha256', key).update(`provider-code ${code}`).digest('hex')
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8

/**
 * The code of a row: characters of Crockford's base 32, derived and not random, so that the same request again can be
 * answered with the same code although only the code's hash is stored.
 */
export function providerCodeOf(key: KeyObject, id: string): string {
  const digest = createHmac('sha256', key).update(`provider-code of ${id}`).digest()
  return [...digest.subarray(0, CODE_LENGTH)].map((byte) => ALPHABET[byte & 31]).join('')
}

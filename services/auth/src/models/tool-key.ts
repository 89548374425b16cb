import { createHmac, randomBytes } from 'node:crypto'
import { type Connection, Schema } from 'mongoose'
import { hashSecret } from '../secret.ts'

export type ToolKey = {
  _id: string
  /** SHA-256 of the whole key, hex. The key itself is nowhere. */
  hash: string
  personId: string
  workspaceId: string
  name: string
  /** Reserved: empty means everything its person may do. */
  scopes: string[]
  /** When the membership it was minted in began; it ends with that membership. Absent on keys from before this was noted. */
  memberSince?: Date
  createdAt: Date
  lastUsedAt?: Date
  revokedAt?: Date
  /** When its latest calls were admitted, oldest first; never more than the limit of calls a minute. */
  calls: Date[]
}

const schema = new Schema<ToolKey>(
  {
    _id: String,
    hash: String,
    personId: String,
    workspaceId: String,
    name: String,
    scopes: [String],
    memberSince: Date,
    createdAt: Date,
    lastUsedAt: Date,
    revokedAt: Date,
    calls: [Date],
  },
  { versionKey: false, collection: 'tool_keys' },
)
schema.index({ hash: 1 }, { unique: true })
schema.index({ workspaceId: 1, personId: 1, createdAt: -1, _id: -1 })

export function toolKeyModel(connection: Connection) {
  return connection.model('ToolKey', schema)
}

export const TOOL_KEY_PREFIX = 'sk-sand-'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 43

/** A new key: the prefix and 256 random bits as 43 characters of base 62. */
export function generateToolKey(): string {
  return toolKeyFrom(randomBytes(32))
}

/**
 * The key of a request that names itself: the same request is answered with the same key, although only its hash is stored.
 * Neither what is stored nor the name of the request tells it without `derivationKey`, nor that without the name.
 */
export function deriveToolKey(derivationKey: Buffer, request: StartRequest): string {
  const { workspaceId, personId, name, scopes, idempotencyKey } = request
  const text = JSON.stringify([workspaceId, personId, name, scopes, idempotencyKey])
  return toolKeyFrom(createHmac('sha256', derivationKey).update(text).digest())
}

type StartRequest = Pick<ToolKey, 'workspaceId' | 'personId' | 'name' | 'scopes'> & { idempotencyKey: string }

function toolKeyFrom(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let body = ''
  for (let index = 0; index < BODY_LENGTH; index += 1) {
    body = BASE62[Number(rest % 62n)] + body
    rest /= 62n
  }
  return TOOL_KEY_PREFIX + body
}

/** The form in which a key is stored and looked up. */
export function hashToolKey(key: string): string {
  return hashSecret(key)
}

import { createHmac, type KeyObject } from 'node:crypto'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8

export type ProviderCode = {
  _id: string
  workspaceId: string
  lovedOneId: string
  codeHash: string
  /** The last two characters, to tell codes apart. */
  ending: string
  createdBy: string
  createdAt: Date
  expiresAt: Date
  idempotencyKey?: string
  redemptionId?: string
}

/** Answers a repeated redemption. */
const KEPT_AFTER_END_SEC = 30 * DAY_SEC

const schema = rowSchema<ProviderCode>(
  'provider_codes',
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
  { workspaceId: 'field' },
  { global: 'an agency redeems a code without knowing the workspace', rowsPerWorkspace: 0.1, rowBytes: 400 },
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

/** Keyed: all 40-bit codes could be tried against a plain hash in minutes. */
export function hashProviderCode(key: KeyObject, code: string): string {
  return createHmac('sha256', key).update(`provider-code ${code}`).digest('hex')
}

/** Crockford base 32. A repeated request gets the same code, although only its hash is stored. */
export function deriveProviderCode(key: KeyObject, id: string): string {
  const digest = createHmac('sha256', key).update(`provider-code of ${id}`).digest()
  return [...digest.subarray(0, CODE_LENGTH)].map((byte) => ALPHABET[byte & 31]).join('')
}

export function usableCodes() {
  return { redemptionId: null, expiresAt: { $gt: new Date() } }
}

/** O reads as 0, I and L as 1 (Crockford base 32). */
export function readProviderCode(typed: string): string {
  return typed.slice(0, 100).replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

import { createSecretKey, type KeyObject } from 'node:crypto'
import type { SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { LRUCache } from 'lru-cache'
import { type Connection, Schema } from 'mongoose'

/** At most two are live: the newest, and the previous one during a rotation. */
export type PartnerSecret = {
  id: string
  createdAt: Date
  /** Absent for the newest. */
  expiresAt?: Date
  revokedAt?: Date
  sealed?: string
}

export type Partner = {
  _id: string
  name: string
  active: boolean
  /** Date of the signed business associate agreement, such as 2026-05-12. */
  agreementDate?: string
  reviewDate?: string
  namespaces: string[]
  names: string[]
  secrets: PartnerSecret[]
  signedTimestampRequired?: boolean
  /** For optimistic locking. */
  secretsRevision: number
  createdAt: Date
}

const secretSchema = new Schema<PartnerSecret>(
  { id: String, createdAt: Date, expiresAt: Date, revokedAt: Date, sealed: String },
  { _id: false },
)

const schema = rowSchema<Partner>(
  'partners',
  {
    _id: String,
    name: String,
    active: Boolean,
    agreementDate: String,
    reviewDate: String,
    namespaces: [String],
    names: [String],
    secrets: [secretSchema],
    signedTimestampRequired: Boolean,
    secretsRevision: Number,
    createdAt: Date,
  },
  {},
  { global: 'an agency serves many workspaces' },
)
schema.index({ names: 1 }, { unique: true })
schema.index({ createdAt: -1, _id: -1 })

export function partnerModel(connection: Connection) {
  return connection.model('Partner', schema)
}

export function liveSecrets(secrets: readonly PartnerSecret[], now: Date): PartnerSecret[] {
  return secrets.filter((secret) => isLive(secret, now))
}

export function isLive({ expiresAt, revokedAt, sealed }: PartnerSecret, now: Date): boolean {
  return sealed !== undefined && revokedAt === undefined && (expiresAt === undefined || expiresAt > now)
}

export function sealContext(partner: Pick<Partner, '_id'>, secret: Pick<PartnerSecret, 'id'>): string {
  return `${partner._id}\n${secret.id}`
}

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

import { type Connection, Schema } from 'mongoose'

/** What oidc-provider stores besides grants and access tokens: clients, codes, refresh tokens, interactions, its sessions. */
export type OauthRecord = {
  /** The model's name and SHA-256 of the record's id, which is itself a secret for most models. */
  _id: string
  model: string
  /** The record as oidc-provider gave it, as JSON, without its id. */
  payload: string
  grantId?: string
  uid?: string
  consumedAt?: Date
  expiresAt?: Date
}

const schema = new Schema<OauthRecord>(
  {
    _id: String,
    model: String,
    payload: String,
    grantId: String,
    uid: String,
    consumedAt: Date,
    expiresAt: Date,
  },
  { versionKey: false, collection: 'oauth_records' },
)
schema.index({ grantId: 1 }, { sparse: true })
schema.index({ uid: 1 }, { sparse: true })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function oauthRecordModel(connection: Connection) {
  return connection.model('OauthRecord', schema)
}

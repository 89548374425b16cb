import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A record of oidc-provider that is neither a grant nor an access token. */
export type OauthRecord = {
  /** `<model>/<SHA-256 of the id>`: for most models the id itself is a secret. */
  _id: string
  model: string
  payload: string
  grantId?: string
  uid?: string
  consumedAt?: Date
  expiresAt?: Date
}

const schema = rowSchema<OauthRecord>(
  'oauth_records',
  {
    _id: String,
    model: String,
    payload: String,
    grantId: String,
    uid: String,
    consumedAt: Date,
    expiresAt: Date,
  },
  {},
  {
    global: 'most exist before a workspace is chosen',
    shardKey: { _id: 'hashed' },
    rowsPerWorkspace: 2,
    rowBytes: 900,
  },
)
schema.index({ grantId: 1 }, { sparse: true })
schema.index({ uid: 1 }, { sparse: true })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function oauthRecordModel(connection: Connection) {
  return connection.model('OauthRecord', schema)
}

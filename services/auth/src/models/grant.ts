import { type Connection, Schema } from 'mongoose'

/** What a person allowed an application to do in one household, and the access tokens it holds. */
export type Grant = {
  _id: string
  personId: string
  /** Empty until the person has decided. */
  workspaceId: string
  clientId: string
  /** As the application called itself when it was allowed. */
  clientName: string
  scopes: string[]
  /** The grant as oidc-provider keeps it, as JSON: its keys are addresses, with dots. */
  payload: string
  /** When the membership it was given in began; it ends with that membership. Absent on grants from before this was noted. */
  memberSince?: Date
  createdAt: Date
  expiresAt: Date
  lastUsedAt?: Date
  revokedAt?: Date
  /** When its latest calls were admitted, oldest first; never more than the limit of calls a minute. */
  calls: Date[]
  /** In here, so that one atomic update finds a token, checks it, and spends one of the grant's calls. Oldest first. */
  accessTokens: AccessToken[]
}

export type AccessToken = {
  /** SHA-256 of the token, hex. The token itself is nowhere. */
  hash: string
  /** The MCP address it was issued for. */
  audience: string
  scopes: string[]
  expiresAt: Date
}

const accessToken = new Schema<AccessToken>(
  { hash: String, audience: String, scopes: [String], expiresAt: Date },
  { _id: false },
)

const schema = new Schema<Grant>(
  {
    _id: String,
    personId: String,
    workspaceId: String,
    clientId: String,
    clientName: String,
    scopes: [String],
    payload: String,
    memberSince: Date,
    createdAt: Date,
    expiresAt: Date,
    lastUsedAt: Date,
    revokedAt: Date,
    calls: [Date],
    accessTokens: [accessToken],
  },
  { versionKey: false, collection: 'oauth_grants' },
)
schema.index({ 'accessTokens.hash': 1 })
schema.index({ personId: 1, workspaceId: 1, createdAt: -1, _id: -1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 30 * 24 * 60 * 60 })

export function grantModel(connection: Connection) {
  return connection.model('Grant', schema)
}

import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'
import { type AlarmMarks, alarmMarks } from './alarm-marks.ts'

export type Grant = AlarmMarks & {
  _id: string
  personId: string
  /** Empty until the person decides. */
  workspaceId: string
  clientId: string
  clientName: string
  scopes: string[]
  /** oidc-provider's own grant, as JSON: its keys are URLs and contain dots. */
  payload: string
  /** The grant ends with the membership that began then. Absent on old grants. */
  memberSince?: Date
  /** Absent: it may do what its scopes allow. */
  access?: LimitedAccess
  pausedAt?: Date
  createdAt: Date
  expiresAt: Date
  lastUsedAt?: Date
  revokedAt?: Date
  calls: Date[]
  /** Embedded, so one read finds a token with its grant, which counts the calls. Oldest first. */
  accessTokens: AccessToken[]
}

export type AccessToken = {
  hash: string
  audience: string
  scopes: string[]
  expiresAt: Date
}

const accessToken = new Schema<AccessToken>(
  { hash: String, audience: String, scopes: [String], expiresAt: Date },
  { _id: false },
)

const schema = rowSchema<Grant>(
  'oauth_grants',
  {
    _id: String,
    personId: String,
    workspaceId: String,
    clientId: String,
    clientName: String,
    scopes: [String],
    payload: String,
    memberSince: Date,
    access: String,
    pausedAt: Date,
    createdAt: Date,
    expiresAt: Date,
    lastUsedAt: Date,
    revokedAt: Date,
    calls: [Date],
    ...alarmMarks,
    accessTokens: [accessToken],
  },
  { workspaceId: 'apart', personId: 'apart' },
  {
    global: 'a token is looked up before its workspace is known, and consent chooses the workspace',
    rowsPerWorkspace: 1,
    rowBytes: 1500,
  },
)
schema.index({ 'accessTokens.hash': 1 })
schema.index({ personId: 1, workspaceId: 1, createdAt: -1, _id: -1 })
schema.index({ alarmDueAt: 1 }, { sparse: true })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 30 * DAY_SEC })

export function grantModel(connection: Connection) {
  return connection.model('Grant', schema)
}

import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import { hashSecret } from '../secret.ts'
import { type AlarmMarks, alarmMarks } from './alarm-marks.ts'

const TOOL_KEY_PREFIX = 'sk-sand-'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 43

export type ToolKey = AlarmMarks & {
  _id: string
  hash: string
  personId: string
  workspaceId: string
  name: string
  /** Empty means everything the person may do. */
  scopes: string[]
  /** The key ends with the membership that began then. Absent on old keys. */
  memberSince?: Date
  /** Absent: it may write. */
  access?: LimitedAccess
  pausedAt?: Date
  createdAt: Date
  lastUsedAt?: Date
  revokedAt?: Date
  calls: Date[]
}

const schema = rowSchema<ToolKey>(
  'tool_keys',
  {
    _id: String,
    hash: String,
    personId: String,
    workspaceId: String,
    name: String,
    scopes: [String],
    memberSince: Date,
    access: String,
    pausedAt: Date,
    createdAt: Date,
    lastUsedAt: Date,
    revokedAt: Date,
    calls: [Date],
    ...alarmMarks,
  },
  { workspaceId: 'field', personId: 'field' },
  {
    global: 'a key is looked up before its workspace is known',
    shardKey: { hash: 1 },
    rowsPerWorkspace: 2,
    rowBytes: 900,
  },
)
schema.index({ hash: 1 }, { unique: true })
schema.index({ workspaceId: 1, personId: 1, createdAt: -1, _id: -1 })
schema.index({ alarmDueAt: 1 }, { sparse: true })

export function toolKeyModel(connection: Connection) {
  return connection.model('ToolKey', schema)
}

export function generateToolKey(): string {
  return toolKeyFrom(randomBytes(32))
}

/** A retry gets the same key, although only its hash is stored. */
export function deriveToolKey(derivationKey: KeyObject, request: MintRequest): string {
  const { workspaceId, personId, name, scopes, access, idempotencyKey } = request
  const limited = access === undefined ? [] : [access]
  const text = JSON.stringify([workspaceId, personId, name, scopes, idempotencyKey, ...limited])
  return toolKeyFrom(createHmac('sha256', derivationKey).update(text).digest())
}

type MintRequest = Pick<ToolKey, 'workspaceId' | 'personId' | 'name' | 'scopes' | 'access'> & { idempotencyKey: string }

function toolKeyFrom(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let body = ''
  for (let index = 0; index < BODY_LENGTH; index += 1) {
    body = BASE62[Number(rest % 62n)] + body
    rest /= 62n
  }
  return TOOL_KEY_PREFIX + body
}

export function hashToolKey(key: string): string {
  return hashSecret(key)
}

import { createHash, createHmac, type KeyObject } from 'node:crypto'
import {
  EmergencyLinkState,
  type EmergencyLink as WireEmergencyLink,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** In total. A right code gives none back: guessing could go on between openings. */
export const MAX_WRONG_CODES = 5
/** How many openings are kept with their time. */
export const MAX_OPENINGS = 20

/** A secret address that shows one emergency sheet to whoever also has its code. */
export type EmergencyLink = {
  _id: string
  workspaceId: string
  lovedOneId: string
  createdBy: string
  /** It belongs to one membership and ends with it. */
  memberSince: Date
  tokenHash: string
  codeHash: string
  createdAt: Date
  expiresAt: Date
  /** Counts tries that are being compared, too. */
  wrongCodes: number
  openedCount: number
  /** The latest, newest first. */
  openedAt: Date[]
  revokedAt?: Date
  /** Set while the owners may have to hear of it (emergency-links/mail-owners.ts). */
  mailDueAt?: Date
  /** What they have heard. */
  told?: LinkNews[]
}

export type LinkNews = 'created' | 'opened' | 'locked'

/** The owner sees for a while how often a link was opened. */
const KEPT_AFTER_END_SEC = 30 * DAY_SEC

const schema = rowSchema<EmergencyLink>(
  'emergency_links',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    createdBy: String,
    memberSince: Date,
    tokenHash: String,
    codeHash: String,
    createdAt: Date,
    expiresAt: Date,
    wrongCodes: Number,
    openedCount: Number,
    openedAt: [Date],
    revokedAt: Date,
    mailDueAt: Date,
    told: { type: [String], default: undefined },
  },
  { workspaceId: 'field' },
  {
    global: 'an address is looked up before its workspace is known',
    shardKey: { tokenHash: 1 },
    rowsPerWorkspace: 0.1,
    rowBytes: 500,
  },
)
schema.index({ tokenHash: 1 }, { unique: true })
schema.index({ workspaceId: 1, lovedOneId: 1, createdAt: -1 })
schema.index({ mailDueAt: 1 }, { sparse: true })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_END_SEC })

export function emergencyLinkModel(connection: Connection) {
  return connection.model('EmergencyLink', schema)
}

const TOKEN_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TOKEN_LENGTH = 32
const CODES = 1_000_000

/** 160 bits in Crockford's base 32. A repeated request gets the same token and code, although only their hashes are stored. */
export function deriveLinkToken(key: KeyObject, id: string): string {
  const digest = createHmac('sha256', key).update(`emergency-link ${id}`).digest()
  return [...digest.subarray(0, TOKEN_LENGTH)].map((byte) => TOKEN_ALPHABET[byte & 31]).join('')
}

/** Six digits. */
export function deriveLinkCode(key: KeyObject, id: string): string {
  const number = createHmac('sha256', key).update(`emergency-code of ${id}`).digest().readUIntBE(0, 6)
  return String(number % CODES).padStart(6, '0')
}

export function hashLinkToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Keyed: a million codes could be tried against a plain hash in a second. */
export function hashLinkCode(key: KeyObject, id: string, code: string): string {
  return createHmac('sha256', key).update(`emergency-code ${id} ${code}`).digest('hex')
}

/** Which links can be opened now. */
export function openLinks() {
  return { revokedAt: null, expiresAt: { $gt: new Date() }, wrongCodes: { $lt: MAX_WRONG_CODES } }
}

export function linkToWire(link: EmergencyLink): WireEmergencyLink {
  const { _id, createdAt, expiresAt, openedCount, openedAt } = link
  return { id: _id, state: stateOf(link), createdAt, expiresAt, openedCount, openedAt }
}

function stateOf({ revokedAt, expiresAt, wrongCodes }: EmergencyLink): EmergencyLinkState {
  if (revokedAt !== undefined) return EmergencyLinkState.REVOKED
  if (expiresAt <= new Date()) return EmergencyLinkState.EXPIRED
  return wrongCodes < MAX_WRONG_CODES ? EmergencyLinkState.OPEN : EmergencyLinkState.LOCKED
}

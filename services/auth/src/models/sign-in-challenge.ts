import { createHash } from 'node:crypto'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import { hashSecret } from '../secret.ts'

export type SignInChallenge = {
  _id: string
  email: string
  /** The session the code confirms; absent for a sign-in. */
  sessionId?: string
  codeHash: string
  tries: number
  createdAt: Date
  expiresAt: Date
  usedAt?: Date
}

const schema = rowSchema<SignInChallenge>(
  'sign_in_challenges',
  {
    _id: String,
    email: String,
    sessionId: String,
    codeHash: String,
    tries: Number,
    createdAt: Date,
    expiresAt: Date,
    usedAt: Date,
  },
  {},
  { global: 'nobody is signed in yet', shardKey: { _id: 'hashed' }, rowsPerWorkspace: 0.1, rowBytes: 300 },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 3600 })

export function signInChallengeModel(connection: Connection) {
  return connection.model('SignInChallenge', schema)
}

export function challengeId(challenge: string): string {
  return hashSecret(challenge)
}

/** Hashes a code with its challenge. The challenge is not stored, so trying all codes against the hash fails. */
export function hashCode(challenge: string, code: string): string {
  return createHash('sha256').update(`${challenge}\n${code}`).digest('hex')
}

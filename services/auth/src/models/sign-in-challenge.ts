import { createHash } from 'node:crypto'
import { type Connection, Schema } from 'mongoose'
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

const schema = new Schema<SignInChallenge>(
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
  { versionKey: false, collection: 'sign_in_challenges' },
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

import { createHash } from 'node:crypto'
import { type Connection, Schema } from 'mongoose'
import { hashSecret } from '../secret.ts'

/** A code that was mailed, waiting to be entered in the browser that asked for it. */
export type SignInChallenge = {
  /** SHA-256 of the challenge the browser keeps, hex. */
  _id: string
  email: string
  /** The session it confirms; absent when it is to sign in. */
  sessionId?: string
  /** `hashCode` of the code. */
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

/** The stored form of a code: without the challenge, which is not stored, even all codes tried in turn do not find it. */
export function hashCode(challenge: string, code: string): string {
  return createHash('sha256').update(`${challenge}\n${code}`).digest('hex')
}

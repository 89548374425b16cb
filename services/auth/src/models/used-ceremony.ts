import { type Connection, Schema } from 'mongoose'

/** A passkey ceremony that was finished and must not be finished again; kept until it would have expired anyway. */
export type UsedCeremony = {
  /** SHA-256 of the WebAuthn challenge, hex. */
  _id: string
  expiresAt: Date
}

const schema = new Schema<UsedCeremony>(
  { _id: String, expiresAt: Date },
  { versionKey: false, collection: 'used_ceremonies' },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function usedCeremonyModel(connection: Connection) {
  return connection.model('UsedCeremony', schema)
}

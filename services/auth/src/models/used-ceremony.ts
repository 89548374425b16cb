import { type Connection, Schema } from 'mongoose'

/** A finished passkey ceremony, kept until it would have expired so that it cannot be replayed. */
type UsedCeremony = {
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

import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A finished passkey ceremony, kept until it would have expired so that it cannot be replayed. */
type UsedCeremony = {
  _id: string
  expiresAt: Date
}

const schema = rowSchema<UsedCeremony>(
  'used_ceremonies',
  { _id: String, expiresAt: Date },
  {},
  { global: 'nobody is signed in yet', shardKey: { _id: 'hashed' }, rowsPerWorkspace: 0.01, rowBytes: 100 },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function usedCeremonyModel(connection: Connection) {
  return connection.model('UsedCeremony', schema)
}

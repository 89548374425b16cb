import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** The codes a person printed, in case they lose their passkeys. */
type RecoverySheet = {
  /** The person's id: a new sheet replaces the one before. */
  _id: string
  /** Of the codes not used yet. */
  hashes: string[]
  createdAt: Date
}

const schema = rowSchema<RecoverySheet>(
  'recovery_sheets',
  { _id: String, hashes: [String], createdAt: Date },
  { personId: '_id' },
  { global: 'a person’s', shardKey: { _id: 'hashed' }, rowsPerWorkspace: 1, rowBytes: 800 },
)

export function recoverySheetModel(connection: Connection) {
  return connection.model('RecoverySheet', schema)
}

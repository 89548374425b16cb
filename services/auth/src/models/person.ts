import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Person = {
  _id: string
  /** Trimmed, NFC, lower case. */
  email: string
  name: string
  createdAt: Date
}

const schema = rowSchema<Person>(
  'people',
  { _id: String, email: String, name: String, createdAt: Date },
  { personId: 'apart' },
)
schema.index({ email: 1 }, { unique: true })

export function personModel(connection: Connection) {
  return connection.model('Person', schema)
}

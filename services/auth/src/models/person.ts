import { type Connection, Schema } from 'mongoose'

export type Person = {
  _id: string
  /** Trimmed, NFC, lower case. */
  email: string
  name: string
  createdAt: Date
}

const schema = new Schema<Person>(
  { _id: String, email: String, name: String, createdAt: Date },
  { versionKey: false, collection: 'people' },
)
schema.index({ email: 1 }, { unique: true })

export function personModel(connection: Connection) {
  return connection.model('Person', schema)
}

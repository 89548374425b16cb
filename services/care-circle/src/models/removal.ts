import { type Connection, Schema } from 'mongoose'

export type Removal = {
  _id: string
  kind: 'workspace' | 'membership'
  dueAt: Date
}

const schema = new Schema<Removal>(
  { _id: String, kind: { type: String, default: 'workspace' }, dueAt: Date },
  { versionKey: false, collection: 'removals' },
)
schema.index({ dueAt: 1 })

export function removalModel(connection: Connection) {
  return connection.model('Removal', schema)
}

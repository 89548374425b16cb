import { type Connection, Schema } from 'mongoose'

/** A deleted workspace or ended membership that is not yet announced to the other services. */
export type Removal = {
  /** The workspace id, or the name of the ended membership. */
  _id: string
  kind: 'workspace' | 'membership'
  /** When the sweeper announces it again. */
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

import { type Connection, Schema } from 'mongoose'

/** A household that was deleted, or a membership that ended, until every service is certain to hear of it. */
export type Removal = {
  /** The id of the workspace, or the name of the ended membership. */
  _id: string
  kind: 'workspace' | 'membership'
  /** When the sweeper says it again. */
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

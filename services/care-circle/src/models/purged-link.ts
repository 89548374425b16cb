import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** Kept permanently, so that late events are recognized. */
type PurgedLink = {
  _id: string
  purgedAt: Date
  eventsDeleted: number
  /** Absent while events remain. */
  doneAt?: Date
}

const schema = rowSchema<PurgedLink>(
  'purged_links',
  {
    _id: String,
    purgedAt: Date,
    eventsDeleted: Number,
    doneAt: Date,
  },
  {},
  { global: 'the pipe knows only the link', shardKey: { _id: 'hashed' }, rowsPerWorkspace: 0.02, rowBytes: 100 },
)
schema.index({ doneAt: 1 })

export function purgedLinkModel(connection: Connection) {
  return connection.model('PurgedLink', schema)
}

import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

export type Removal = {
  _id: string
  kind: 'workspace' | 'membership'
  dueAt: Date
}

const schema = rowSchema<Removal>(
  'removals',
  {
    _id: String,
    kind: { type: String, default: 'workspace' },
    dueAt: Date,
  },
  {},
  { shardKey: { _id: 1 } },
)
schema.index({ dueAt: 1 })

export function removalModel(connection: Connection) {
  return connection.model('Removal', schema)
}

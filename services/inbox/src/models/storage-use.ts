import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

export type StorageUse = {
  _id: string
  /** Bytes of the originals. Deletions are subtracted at the next exact count. */
  bytes: number
  countedAt: Date
  /** By address: the latest hour with mail, in hours since 1970, and its messages. */
  arrivals: Record<string, { hour: number; messages: number }>
  warnedAt?: Date
  /** Number of warnings sent; makes each warning's id unique. */
  warnings: number
}

const schema = rowSchema<StorageUse>(
  'storage_use',
  {
    _id: String,
    bytes: Number,
    countedAt: Date,
    arrivals: Schema.Types.Mixed,
    warnedAt: Date,
    warnings: Number,
  },
  { workspaceId: '_id' },
  { shardKey: { _id: 1 } },
).set('minimize', false)

export function storageUseModel(connection: Connection) {
  return connection.model('StorageUse', schema)
}

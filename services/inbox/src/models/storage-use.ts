import { type Connection, Schema } from 'mongoose'

/** What a workspace's mail takes, counted as it arrives. */
export type StorageUse = {
  /** The workspace's id. */
  _id: string
  /** Bytes of the originals. Mail that is deleted is subtracted by the next exact count, so this is rarely too low. */
  bytes: number
  /** When all mail was last counted exactly. */
  countedAt: Date
  /** By address: the messages of the latest hour in which any arrived, in hours since 1970. */
  arrivals: Record<string, { hour: number; messages: number }>
  /** Since when the owner knows that it is nearly full. */
  warnedAt?: Date
  /** How often the owner was told, which makes each of these mails another. */
  warnings: number
}

const schema = new Schema<StorageUse>(
  {
    _id: String,
    bytes: Number,
    countedAt: Date,
    arrivals: Schema.Types.Mixed,
    warnedAt: Date,
    warnings: Number,
  },
  { versionKey: false, collection: 'storage_use', minimize: false },
)

export function storageUseModel(connection: Connection) {
  return connection.model('StorageUse', schema)
}

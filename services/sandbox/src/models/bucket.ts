import { type Connection, Schema } from 'mongoose'

/** How much of its allowance a client network has used lately. A network without a row has all of it. */
export type Bucket = {
  /** A keyed hash, from which the network cannot be read. */
  _id: string
  /** When the bucket will be full again if nothing more is taken; the row is then as good as none. */
  fullAt: Date
  /** How many tokens those who asked last got. */
  taken: number
  /** How long the next token would have taken to come then, in milliseconds; at most 0 when there was one. */
  waitMs: number
}

const schema = new Schema<Bucket>(
  { _id: String, fullAt: Date, taken: Number, waitMs: Number },
  { versionKey: false, collection: 'buckets' },
)
schema.index({ fullAt: 1 }, { expireAfterSeconds: 0 })

export function bucketModel(connection: Connection) {
  return connection.model('Bucket', schema)
}

import { type Connection, Schema } from 'mongoose'

/** How often somebody did something lately. Who it is cannot be read from it: the id is a keyed hash. */
export type RateLimit = {
  _id: string
  /** When it was admitted, oldest first; never more than the largest limit. */
  times: Date[]
  /** How long the latest request had to wait, in milliseconds; at most 0 when it was admitted. */
  waitMs: number
  expiresAt: Date
}

const schema = new Schema<RateLimit>(
  { _id: String, times: [Date], waitMs: Number, expiresAt: Date },
  { versionKey: false, collection: 'rate_limits' },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function rateLimitModel(connection: Connection) {
  return connection.model('RateLimit', schema)
}

import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** Recent requests of one subject. The id is a keyed hash, so the subject cannot be read from it. */
export type RateLimit = {
  _id: string
  times: Date[]
  /** 0 or less when the latest request was admitted. */
  waitMs: number
  expiresAt: Date
}

const schema = rowSchema<RateLimit>(
  'rate_limits',
  { _id: String, times: [Date], waitMs: Number, expiresAt: Date },
  {},
  {
    global: 'limits people and networks, not workspaces',
    shardKey: { _id: 'hashed' },
    rowsPerWorkspace: 1,
    rowBytes: 400,
  },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function rateLimitModel(connection: Connection) {
  return connection.model('RateLimit', schema)
}

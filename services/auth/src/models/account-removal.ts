import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** The row exists from the request until the last step is done. */
export type AccountRemoval = {
  _id: string
  email: string
  dueAt: Date
}

const schema = rowSchema<AccountRemoval>(
  'account_removals',
  { _id: String, email: String, dueAt: Date },
  {},
  { global: 'a person leaves several workspaces' },
)
schema.index({ dueAt: 1 })

export function accountRemovalModel(connection: Connection) {
  return connection.model('AccountRemoval', schema)
}

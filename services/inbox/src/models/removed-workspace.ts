import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A deleted workspace: its queued mail is not sent. */
type RemovedWorkspace = { _id: string; removedAt: Date }

/** Longer than the queue retries. */
const KEPT_SEC = 30 * DAY_SEC

const schema = rowSchema<RemovedWorkspace>(
  'removed_workspaces',
  { _id: String, removedAt: Date },
  {},
  { shardKey: { _id: 1 } },
)
schema.index({ removedAt: 1 }, { expireAfterSeconds: KEPT_SEC })

export function removedWorkspaceModel(connection: Connection) {
  return connection.model('RemovedWorkspace', schema)
}

import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

type StoppedWorkspace = { _id: string; stoppedAt: Date }

const schema = rowSchema<StoppedWorkspace>(
  'stopped_workspaces',
  { _id: String, stoppedAt: Date },
  { workspaceId: '_id' },
  { shardKey: { _id: 1 } },
)

export function stoppedWorkspaceModel(connection: Connection) {
  return connection.model('StoppedWorkspace', schema)
}

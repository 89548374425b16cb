import { rowSchema } from '@family-inbox/service-kit/mongo/row-schema'
import type { Connection } from 'mongoose'

type StoppedWorkspace = { _id: string; stoppedAt: Date }

const schema = rowSchema<StoppedWorkspace>('stopped_workspaces', { _id: String, stoppedAt: Date })

export function stoppedWorkspaceModel(connection: Connection) {
  return connection.model('StoppedWorkspace', schema)
}

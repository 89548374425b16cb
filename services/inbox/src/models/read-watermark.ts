import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** Per person and inbox: older messages without a mark count as read, newer ones as unread. Bounds every query. */
export type ReadWatermark = {
  /** `<personId>/<workspaceId>/<lovedOneId>` */
  _id: string
  workspaceId: string
  receivedAt: Date
}

const schema = rowSchema<ReadWatermark>(
  'read_watermarks',
  { _id: String, workspaceId: String, receivedAt: Date },
  { workspaceId: 'field', personId: '_id/' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1 })

export function readWatermarkModel(connection: Connection) {
  return connection.model('ReadWatermark', schema)
}

export type Reader = { personId: string; workspaceId: string }

export function readWatermarkId({ personId, workspaceId }: Reader, lovedOneId: string): string {
  return `${personId}/${workspaceId}/${lovedOneId}`
}

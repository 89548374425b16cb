import { type Connection, Schema } from 'mongoose'

/**
 * The line through one inbox, for one person, below which what has no mark counts as read, and above which it counts as
 * unread. It rises with what they read, so that whoever has read a hundred thousand messages is asked about a few hundred.
 */
export type ReadWatermark = {
  /** `<personId>/<workspaceId>/<lovedOneId>` */
  _id: string
  workspaceId: string
  /** A message received at this moment is below the line. */
  receivedAt: Date
}

const schema = new Schema<ReadWatermark>(
  { _id: String, workspaceId: String, receivedAt: Date },
  { versionKey: false, collection: 'read_watermarks' },
)
schema.index({ workspaceId: 1 })

export function readWatermarkModel(connection: Connection) {
  return connection.model('ReadWatermark', schema)
}

export type Reader = { personId: string; workspaceId: string }

export function readWatermarkId({ personId, workspaceId }: Reader, lovedOneId: string): string {
  return `${personId}/${workspaceId}/${lovedOneId}`
}

import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

/** Something meant for one member. Its mail says that, and nothing of what was written. */
export type Notice = {
  /** The same at every attempt to add it, such as `named/<note id>`. */
  id: string
  kind: 'handed_over' | 'named' | 'reminder'
  lovedOneId: string
  messageId: string
  byName: string
  addedAt: Date
  dueAt: Date
}

/** The notices of one member. One row, so that each change of it is atomic. */
export type NoticeList = {
  /** `<workspaceId>/<personId>` */
  _id: string
  workspaceId: string
  personId: string
  notices: Notice[]
  /** Ids of earlier ones, so that a repeated attempt adds nothing. */
  given: string[]
  /** When to look at it next. */
  dueAt?: Date
  /** The ids in the mail that is being written. Survives a crash, so the retry writes the same mail. */
  pending?: string[]
  lastMailAt?: Date
}

export const MAX_NOTICES = 100
export const MAX_GIVEN = 500

const { Mixed } = Schema.Types

const schema = rowSchema<NoticeList>(
  'notice_lists',
  {
    _id: String,
    workspaceId: String,
    personId: String,
    notices: Mixed,
    given: { type: [String], default: undefined },
    dueAt: Date,
    pending: { type: [String], default: undefined },
    lastMailAt: Date,
  },
  { workspaceId: 'field', personId: 'field' },
  { shardKey: { _id: 1 } },
)
schema.index({ dueAt: 1 }, { sparse: true })
schema.index({ workspaceId: 1 })
schema.index({ personId: 1 })

export function noticeListModel(connection: Connection) {
  return connection.model('NoticeList', schema)
}

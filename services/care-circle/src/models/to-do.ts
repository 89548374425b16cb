import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Status } from '@family-inbox/workspace-kit/status-rule'
import { type Connection, Schema } from 'mongoose'

/** What somebody in the family has to do. */
export type ToDo = {
  _id: string
  workspaceId: string
  /** Empty for the whole family. */
  lovedOneId: string
  text: string
  /** By when, such as `2026-05-12`. */
  day?: string
  status: Exclude<Status, 'not_needed'>
  /** The member with it. */
  assigneeId?: string
  /** Who changed the status last, and when. */
  changedBy?: string
  changedAt?: Date
  message?: { lovedOneId: string; messageId: string }
  addedBy: string
  createdAt: Date
  /** When its text, its day or its loved one last changed. */
  editedAt?: Date
  /** It is deleted a year later. */
  doneAt?: Date
  /** It can be put back until it is deleted, 30 days later. */
  removedAt?: Date
  /** Of text, day and loved one; a change must name the version it read. */
  version: number
}

const schema = rowSchema<ToDo>(
  'to_dos',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    text: String,
    day: String,
    status: String,
    assigneeId: String,
    changedBy: String,
    changedAt: Date,
    message: Schema.Types.Mixed,
    addedBy: String,
    createdAt: Date,
    editedAt: Date,
    doneAt: Date,
    removedAt: Date,
    version: Number,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, doneAt: -1 })
schema.index({ workspaceId: 1, assigneeId: 1 })
schema.index({ doneAt: 1 }, expiresAfter(365))
schema.index({ removedAt: 1 }, expiresAfter(30))

export function toDoModel(connection: Connection) {
  return connection.model('ToDo', schema)
}

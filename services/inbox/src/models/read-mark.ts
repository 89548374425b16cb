import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import type { Message } from './message.ts'

/** Records that a person opened a message or marked it unread. Kept: the family sees who read a message. */
type ReadMark = {
  _id: string
  personId: string
  workspaceId: string
  lovedOneId: string
  messageRowId: string
  /** Copied from the message, so marks can be counted without it. */
  receivedAt: Date
  read: boolean
  readAt?: Date
}

const schema = rowSchema<ReadMark>(
  'read_marks',
  {
    _id: String,
    personId: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    receivedAt: Date,
    read: Boolean,
    readAt: Date,
  },
  { workspaceId: 'field', personId: '_id/', messageRowId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, personId: 1, read: 1, receivedAt: -1, messageRowId: -1 })
schema.index({ messageRowId: 1, readAt: 1 })

export function readMarkModel(connection: Connection) {
  return connection.model('ReadMark', schema)
}

export function readMarkId(personId: string, messageRowId: string): string {
  return `${personId}/${messageRowId}`
}

export function newMark(
  personId: string,
  row: Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt'>,
): Pick<ReadMark, 'personId' | 'workspaceId' | 'lovedOneId' | 'messageRowId' | 'receivedAt'> {
  const { _id, workspaceId, lovedOneId, receivedAt } = row
  return { personId, workspaceId, lovedOneId, messageRowId: _id, receivedAt }
}

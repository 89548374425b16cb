import { type Connection, Schema } from 'mongoose'
import type { Message } from './message.ts'

/** That a person has opened a message, or wants it to count as unread. Kept for good: the family sees who has read what. */
export type ReadMark = {
  /** `readMarkId(personId, messageRowId)` */
  _id: string
  personId: string
  workspaceId: string
  lovedOneId: string
  messageRowId: string
  /** The message's own, so that marks are counted and listed without it. */
  receivedAt: Date
  read: boolean
  /** When it was first opened; absent while it never was. */
  readAt?: Date
}

const schema = new Schema<ReadMark>(
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
  { versionKey: false, collection: 'read_marks' },
)
schema.index({ workspaceId: 1, lovedOneId: 1, personId: 1, read: 1, receivedAt: -1, messageRowId: -1 })
schema.index({ messageRowId: 1, readAt: 1 })

export function readMarkModel(connection: Connection) {
  return connection.model('ReadMark', schema)
}

export function readMarkId(personId: string, messageRowId: string): string {
  return `${personId}/${messageRowId}`
}

/** A mark of a person on a message. */
export function newMark(
  personId: string,
  row: Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt'>,
): Pick<ReadMark, 'personId' | 'workspaceId' | 'lovedOneId' | 'messageRowId' | 'receivedAt'> {
  const { _id, workspaceId, lovedOneId, receivedAt } = row
  return { personId, workspaceId, lovedOneId, messageRowId: _id, receivedAt }
}

import { newId } from '@family-inbox/service-kit/ids/ids'
import { type Connection, Schema } from 'mongoose'

/** A member's answer to a message, as the family sees it; also what a repeated request finds. */
export type Reply = {
  _id: string
  workspaceId: string
  lovedOneId: string
  /** The row of the message it answers. */
  messageRowId: string
  personId: string
  /** As whom it was sent. */
  name: string
  to: string
  body: string
  /** Names the request, once in a household; absent when the request had no name. */
  idempotencyKey?: string
  /** The person and the request, while a request without a name like it is this reply; absent when it had a name. */
  derivedKey?: string
  /** SHA-256 over what was asked, hex: the same key with another request is refused. */
  requestHash: string
  createdAt: Date
  /** When its mail was in the queue for certain; until then a sweep puts it there. */
  mailQueuedAt?: Date
}

const ID_PREFIX = 'rep'

/** The range of the ids of replies, and of their mails, among all. */
export const REPLY_IDS = { $gte: `${ID_PREFIX}_`, $lt: `${ID_PREFIX}\`` } as const

export function newReplyId(): string {
  return newId(ID_PREFIX)
}

const schema = new Schema<Reply>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    personId: String,
    name: String,
    to: String,
    body: String,
    idempotencyKey: String,
    derivedKey: String,
    requestHash: String,
    createdAt: Date,
    mailQueuedAt: Date,
  },
  { versionKey: false, collection: 'replies' },
)
schema.index(
  { workspaceId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)
schema.index({ derivedKey: 1 }, { unique: true, partialFilterExpression: { derivedKey: { $exists: true } } })
schema.index({ messageRowId: 1, createdAt: 1 })
schema.index({ mailQueuedAt: 1, createdAt: 1 })

export function replyModel(connection: Connection) {
  return connection.model('Reply', schema)
}

import type { AttendeeAnswer } from '@family-inbox/mail-reader/calendar/write-answer'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, sealedIn, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import { type Connection, Schema } from 'mongoose'
import type { ReplyFile } from './reply-file.ts'

export type Reply = {
  _id: string
  workspaceId: string
  lovedOneId: string
  messageRowId: string
  personId: string
  name: string
  /** The name of the assistant that sent it for the person, or empty for one without a name. Absent when they sent it. */
  assistant?: string
  /** The name of the member who approved what the assistant wrote. */
  approvedBy?: string
  /** Whether the mail says that an assistant helped. */
  disclosed?: boolean
  /** They wrote it in answer to a notification. */
  byMail?: true
  to: string
  /** Who else gets it, each with a mail of their own. */
  cc?: string[]
  body: string
  /** The line after the body, as it was set when the reply was written. */
  footer?: string
  attachments?: SentFile[]
  /** The answer to an invitation; `to` is its organizer. */
  calendar?: CalendarAnswer
  /** It forwards the message; `body` is above its text, and may be empty. */
  forward?: Forward
  /** It is no answer, and begins a conversation: its message is the family's own. */
  opening?: { subject: string }
  idempotencyKey?: string
  /** Identifies a request without an idempotency key, for ten minutes. */
  derivedKey?: string
  /** SHA-256 of message, body and files, hex: reusing a key for another request is refused. */
  requestHash: string
  createdAt: Date
  /** Until then it is not queued and its author can undo it. Removed before it is queued: whoever removes it decides. */
  heldUntil?: Date
  /** When its mail was confirmed in the queue; a sweep queues the rest. */
  mailQueuedAt?: Date
  /** It is shown nowhere but where it can be put back. */
  deletedAt?: Date
  /** When it is deleted for good. */
  purgeAt?: Date
}

/** `file` is the id of its `ReplyFile`. */
export type SentFile = Pick<ReplyFile, 'filename' | 'contentType' | 'size' | 'hash'> & { file: string }

export type Forward = {
  /** Of the loved one to whose inbox the message came. */
  lovedOneName: string
  withFiles: boolean
  withOriginal: boolean
  /** How many files go with it in all. */
  fileCount: number
}

/** A stored answer to the organizer of an event (`readRequests`). */
export type CalendarAnswer = AttendeeAnswer & { requestId: string; uidHash: string }

const ID_PREFIX = 'rep'

/** The id range of replies among all outgoing mail. */
export const REPLY_IDS = { $gte: `${ID_PREFIX}_`, $lt: `${ID_PREFIX}\`` } as const

/** Those that answer whoever wrote the message. */
export const ANSWERS = { forward: null, opening: null } as const

/** As `ANSWERS`, of a row that was read. */
export function isAnswer({ forward, opening }: Pick<Reply, 'forward' | 'opening'>): boolean {
  return forward === undefined && opening === undefined
}

/** The id of each mail of a reply: its own, then one for each other recipient. */
export function mailIdsOf({ _id, cc = [] }: Pick<Reply, '_id' | 'cc'>): string[] {
  return [_id, ...cc.map((_, index) => `${_id}-cc${index + 1}`)]
}

export function newReplyId(): string {
  return newId(ID_PREFIX)
}

const schema = rowSchema<Reply>(
  'replies',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    personId: String,
    name: String,
    assistant: String,
    approvedBy: String,
    disclosed: Boolean,
    byMail: Boolean,
    to: String,
    cc: { type: [String], default: undefined },
    body: SEALED,
    footer: String,
    attachments: sealedIn('filename'),
    calendar: { type: Schema.Types.Mixed, default: undefined },
    forward: { type: Schema.Types.Mixed, default: undefined },
    opening: sealedIn('subject'),
    idempotencyKey: String,
    derivedKey: String,
    requestHash: String,
    createdAt: Date,
    heldUntil: Date,
    mailQueuedAt: Date,
    deletedAt: Date,
    purgeAt: Date,
  },
  { workspaceId: 'field', personId: 'kept', messageRowId: 'apart' },
  { shardKey: { workspaceId: 1 } },
)
schema.index(
  { workspaceId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
)
schema.index(
  { workspaceId: 1, derivedKey: 1 },
  { unique: true, partialFilterExpression: { derivedKey: { $exists: true } } },
)
schema.index({ messageRowId: 1, createdAt: 1 })
schema.index(
  { workspaceId: 1, 'calendar.uidHash': 1 },
  { partialFilterExpression: { 'calendar.uidHash': { $exists: true } } },
)
schema.index({ mailQueuedAt: 1, createdAt: 1 })
schema.index({ workspaceId: 1, createdAt: 1 })
schema.index({ purgeAt: 1 }, { sparse: true })

export function replyModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'Reply', schema, keys)
}

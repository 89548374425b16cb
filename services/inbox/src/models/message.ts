import { createHash } from 'node:crypto'
import type { Authenticity, SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import type { StoredCalendar } from '@family-inbox/mail-reader/calendar/stored-calendar'
import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import type { Mailbox, ReplyTo } from '@family-inbox/mail-reader/mime/message-fields'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, sealedIn, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import { type Connection, Schema } from 'mongoose'
import type { Rearranged } from './rearranged.ts'

export type Inbox = { workspaceId: string; lovedOneId: string; addressId: string }

export type Message = Inbox & {
  _id: string
  /** Its own id until it is joined to other messages. Absent on a message that an older version stored. */
  conversationId?: string
  messageIdHeader?: string
  inReplyTo?: string
  references: string[]
  from: Mailbox
  replyTo?: ReplyTo
  originalSender?: Mailbox
  originalReplyTo?: ReplyTo
  /** Forwarded by hand, as its subject or its text says, or as a file. Absent on mail of an older version. */
  forwarded?: true
  /** Whether `from` names a member, proven or not. Set for checked mail that names another author, except on old rows. */
  fromMember?: boolean
  /** Counts for nothing until a member's authentic mail proves it; then it is the original sender. */
  listAuthor?: Mailbox
  /** Whether an authenticated member who may write forwarded it. Otherwise the original may be invented. */
  forwardedByMember?: true
  /** Whether an authenticated member who may write sent it. Set for mail that names others. */
  sentByMember?: true
  /** The family wrote it here, and this reply mails it; `from` is the member, and `replyTo` its recipient. */
  ownReplyId?: string
  to: Mailbox[]
  subject: string
  category: ParsedMessage['category']
  asksFor?: ParsedMessage['asksFor']
  preview: string
  text: string
  truncated: boolean
  unreadable: boolean
  hasMarkup?: boolean
  textConverted?: true
  automated: boolean
  autoSubmitted?: string
  forwardingConfirmation?: ParsedMessage['forwardingConfirmation']
  attachments: AttachmentMeta[]
  attachmentCount: number
  sentAt?: Date
  receivedAt: Date
  envelope: SmtpEnvelope
  size: number
  original?: Buffer
  /** SHA-256 of a large original, hex; the key of its pieces (models/original.ts). */
  originalHash?: string
  /** Absent until checked. */
  authenticity?: Authenticity
  /** Present until it is indexed (arriving/index-messages.ts). */
  indexPending?: true
  /** Present until checked, which keeps the partial index small. */
  authenticityPending?: true
  /** Present from its check until it has joined its conversation, if it may (arriving/join-checked-mail.ts). */
  joinPending?: true
  /** Whether an assistant ever proposed a reply to it. */
  proposed?: boolean
  /** Present on mail that needs attention, until its conversation is open (arriving/open-conversations.ts). */
  opensConversation?: true
  /** Present until its search entry has the words of its files (arriving/read-files.ts). */
  attachmentTextPending?: true
  /** How often its files were tried without a result for each. */
  attachmentTextAttempts?: number
  /** When they are due again. Absent until they are claimed. */
  attachmentTextNext?: Date
  /** When a mail with a calendar file arrived. */
  calendarAt?: Date
  /** The content of its calendar files. Absent until they are read. */
  calendar?: StoredCalendar
  /** Present until its events are in the stream to care-circle (calendar/publish-events.ts). */
  calendarPending?: true
  /** How often its calendar files were tried without a result. */
  calendarAttempts?: number
  /** How often they took a thread too much time or memory. */
  calendarFailures?: number
  /** What members did with it and its conversation, oldest first. */
  rearranged?: Rearranged[]
  /** A member put its conversation with another one. What proves nothing never joins it then (arriving/find-linked.ts). */
  joinedByHand?: true
  /** The conversation that a member took it out of: later mail joins one of the two (conversations/respect-choices.ts). */
  takenOutOf?: string
}

/** For the hint of a query: the newest mail of each family with files to read. */
export const FILES_BY_FAMILY = {
  attachmentTextPending: 1,
  workspaceId: 1,
  receivedAt: -1,
  attachmentTextNext: 1,
} as const

const { Mixed } = Schema.Types

const schema = rowSchema<Message>(
  'messages',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    addressId: String,
    conversationId: String,
    messageIdHeader: String,
    inReplyTo: String,
    references: [String],
    from: Mixed,
    replyTo: Mixed,
    originalSender: Mixed,
    originalReplyTo: Mixed,
    forwarded: Boolean,
    fromMember: Boolean,
    listAuthor: Mixed,
    forwardedByMember: Boolean,
    sentByMember: Boolean,
    ownReplyId: String,
    to: Mixed,
    subject: SEALED,
    category: String,
    asksFor: { type: [String], default: undefined },
    preview: SEALED,
    text: SEALED,
    truncated: Boolean,
    unreadable: Boolean,
    hasMarkup: Boolean,
    textConverted: Boolean,
    automated: Boolean,
    autoSubmitted: String,
    forwardingConfirmation: Mixed,
    attachments: sealedIn('filename'),
    attachmentCount: Number,
    sentAt: Date,
    receivedAt: Date,
    envelope: Mixed,
    originalHash: String,
    size: Number,
    authenticity: Mixed,
    authenticityPending: Boolean,
    joinPending: Boolean,
    indexPending: Boolean,
    proposed: Boolean,
    opensConversation: Boolean,
    attachmentTextPending: Boolean,
    attachmentTextAttempts: Number,
    attachmentTextNext: Date,
    calendarAt: Date,
    calendar: SEALED,
    calendarPending: Boolean,
    calendarAttempts: Number,
    calendarFailures: Number,
    rearranged: { type: Mixed, default: undefined },
    joinedByHand: Boolean,
    takenOutOf: String,
    original: SEALED,
  },
  { workspaceId: 'field', messageRowId: 'apart' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, lovedOneId: 1, receivedAt: -1, _id: -1 })
schema.index({ receivedAt: 1 }, { partialFilterExpression: { authenticityPending: true } })
// The first field keeps them apart: to MongoDB, two partial indexes on the same field are the same index.
schema.index({ indexPending: 1, receivedAt: 1 }, { partialFilterExpression: { indexPending: true } })
schema.index({ calendarPending: 1, receivedAt: 1 }, { partialFilterExpression: { calendarPending: true } })
schema.index(FILES_BY_FAMILY, { partialFilterExpression: { attachmentTextPending: true } })
schema.index({ joinPending: 1, receivedAt: 1 }, { partialFilterExpression: { joinPending: true } })
schema.index({ calendarAt: 1 }, { sparse: true })
schema.index({ originalHash: 1 }, { sparse: true })

export function messageModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'Message', schema, keys)
}

/** The inbox is part of the key, so another workspace's message is not found, at the same cost as a missing one. */
export function messageRowId({ workspaceId, lovedOneId }: Omit<Inbox, 'addressId'>, messageId: string): string {
  return `${workspaceId}/${lovedOneId}/${messageId}`
}

/** The id that pages, tools and other services know; the row’s own begins with its workspace and loved one. */
export function publicIdOf(row: { _id: string }): string {
  return row._id.slice(row._id.lastIndexOf('/') + 1)
}

/** Derives the same id for every delivery of the same mail. Cannot be guessed without the random address id. */
export function deriveMessageId(addressId: string, dedupeKey: string): string {
  const digest = createHash('sha256').update(`${addressId}\n${dedupeKey}`).digest('hex')
  return `msg_${digest.slice(0, 32)}`
}

/** A message that is not indexed yet, or that an older version stored, is a conversation of its own. */
export function conversationOf(ref: Pick<Message, '_id' | 'conversationId'>): string {
  return ref.conversationId ?? publicIdOf(ref)
}

/** The same whether or not the message is in another inbox. */
export function messageNotFound(): StatusError {
  const message = 'No message with this messageId in this loved one’s inbox.'
  return new StatusError('NOT_FOUND', message, { field: 'messageId' })
}

import { createHash } from 'node:crypto'
import { type Connection, Schema } from 'mongoose'
import type { AttachmentMeta, Mailbox, ParsedMessage } from '../mail/parsed-message.ts'

/** Whose inbox a message is in. */
export type Inbox = { workspaceId: string; lovedOneId: string; addressId: string }

/** How SPF, DKIM, DMARC and ARC judge a mail: the results' own words (RFC 8601), such as pass, fail, none or temperror. */
export type Authenticity = {
  spf: string
  dkim: string
  dmarc: string
  arc: string
  /** Whether the From domain vouches for the whole mail. Absent where only the four results were kept. */
  aligned?: boolean
}

/** What the delivering host said and was, which SPF is about. */
export type Envelope = { sender: string; helo: string; peer: string }

/** One mail in one inbox, as it is read. */
export type Message = Inbox & {
  /** `messageRowId(inbox, messageId)`. */
  _id: string
  messageIdHeader?: string
  inReplyTo?: string
  references: string[]
  from: Mailbox
  replyTo?: Mailbox
  originalSender?: Mailbox
  /** Where its author wants answers, when the forward still tells. */
  originalReplyTo?: Mailbox
  /** Whether a member sent it, provably. Without that, anybody may have made the original up. */
  forwardedByMember?: true
  to: Mailbox[]
  subject: string
  category: ParsedMessage['category']
  preview: string
  text: string
  truncated: boolean
  unreadable: boolean
  /** Whether it came with markup, which is made safe from the original whenever it is shown. */
  hasMarkup?: boolean
  automated: boolean
  autoSubmitted?: string
  forwardingConfirmation?: ParsedMessage['forwardingConfirmation']
  attachments: AttachmentMeta[]
  attachmentCount: number
  sentAt?: Date
  receivedAt: Date
  envelope: Envelope
  /** Bytes of the original. */
  size: number
  /** The original itself when it is small. */
  original?: Buffer
  /** SHA-256 of a large original, hex, by which its pieces are found (models/original.ts). */
  originalHash?: string
  /** Absent until the checks have run. */
  authenticity?: Authenticity
  /** Only while it cannot be found by its content yet (search/index-messages.ts). */
  indexPending?: true
  /** Only while the checks have not run, so that the index of waiting messages is as small as their number. */
  authenticityPending?: true
}

const { Mixed } = Schema.Types

const schema = new Schema<Message>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    addressId: String,
    messageIdHeader: String,
    inReplyTo: String,
    references: [String],
    from: Mixed,
    replyTo: Mixed,
    originalSender: Mixed,
    originalReplyTo: Mixed,
    forwardedByMember: Boolean,
    to: Mixed,
    subject: String,
    category: String,
    preview: String,
    text: String,
    truncated: Boolean,
    unreadable: Boolean,
    hasMarkup: Boolean,
    automated: Boolean,
    autoSubmitted: String,
    forwardingConfirmation: Mixed,
    attachments: Mixed,
    attachmentCount: Number,
    sentAt: Date,
    receivedAt: Date,
    envelope: Mixed,
    originalHash: String,
    size: Number,
    authenticity: Mixed,
    authenticityPending: Boolean,
    indexPending: Boolean,
    original: Schema.Types.Buffer,
  },
  { versionKey: false, collection: 'messages' },
)
schema.index({ workspaceId: 1, lovedOneId: 1, receivedAt: -1, _id: -1 })
schema.index({ receivedAt: 1 }, { partialFilterExpression: { authenticityPending: true } })
// Not by time: two partial indexes over the same field would be the same index to MongoDB.
schema.index({ indexPending: 1, receivedAt: 1 }, { partialFilterExpression: { indexPending: true } })

export function messageModel(connection: Connection) {
  return connection.model('Message', schema)
}

/**
 * The key of a message's row. The inbox is part of it, so a message of another household is not found rather than found
 * and refused: the look-up costs the same as for one that does not exist.
 */
export function messageRowId({ workspaceId, lovedOneId }: Omit<Inbox, 'addressId'>, messageId: string): string {
  return `${workspaceId}/${lovedOneId}/${messageId}`
}

/** The id callers know a message by: the last part of its row's key. */
export function messageIdOf(row: { _id: string }): string {
  return row._id.slice(row._id.lastIndexOf('/') + 1)
}

/**
 * The id of a mail in an inbox, the same at every delivery of the same mail: a repetition meets the row that is there. It
 * cannot be guessed without the address's random id.
 * @param dedupeKey what makes two deliveries the same mail
 */
export function deriveMessageId(addressId: string, dedupeKey: string): string {
  const digest = createHash('sha256').update(`${addressId}\n${dedupeKey}`).digest('hex')
  return `msg_${digest.slice(0, 32)}`
}

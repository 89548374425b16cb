import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { sealedIn, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import { type Connection, Schema } from 'mongoose'
import type { ConversationStatus } from './conversation-status.ts'
import type { Message } from './message.ts'

/** For that long, what was deleted can be put back. */
export const KEPT_MS = 30 * DAY_MS

export type Place = 'junk' | 'deleted'

/**
 * A message in Junk or Deleted. Its row is here and not among the messages, so lists, searches, tools and notices cannot show it, and
 * cost the same however much is here. What belongs to it, such as replies and notes, stays where it is and is found by its id.
 */
export type MessageAside = {
  /** That of the message. */
  _id: string
  workspaceId: string
  lovedOneId: string
  place: Place
  /** The newest of the messages that were moved together; absent on that one, which counts them. */
  headId?: string
  messages?: number
  movedAt: Date
  /** The member who moved it; absent if the filter did when it arrived. */
  movedBy?: { personId: string; name: string }
  /** When it is deleted for good. */
  purgeAt: Date
  /** A member deleted it for good: nobody sees it again, and it waits only for a reply that is on its way. */
  isPurged?: boolean
  /** Set until a move has ended (deleting/finish-moves.ts): out of the inbox, or back. */
  moving?: 'out' | 'back'
  /** When its row left the messages. */
  leftAt?: Date
  /** The calendar forgets what only this mail is about, once it has moved. */
  withdraws?: boolean
  /** That of its conversation, if all of it was moved. */
  status?: ConversationStatus
  message: Message
}

const schema = rowSchema<MessageAside>(
  'messages_aside',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    place: String,
    headId: String,
    messages: Number,
    movedAt: Date,
    movedBy: Schema.Types.Mixed,
    purgeAt: Date,
    isPurged: Boolean,
    moving: String,
    leftAt: Date,
    withdraws: Boolean,
    status: Schema.Types.Mixed,
    message: sealedIn('subject', 'preview', 'text', 'attachments.filename', 'calendar', 'original'),
  },
  { workspaceId: 'field', messageRowId: 'apart' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1, place: 1, headId: 1, movedAt: -1, _id: -1 })
schema.index({ headId: 1 }, { sparse: true })
schema.index({ purgeAt: 1 })
schema.index({ moving: 1 }, { sparse: true })
schema.index({ 'message.originalHash': 1 }, { sparse: true })

export function messageAsideModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'MessageAside', schema, keys)
}

/** A message and those that were moved with it, as long as they can be seen and put back. */
export function movedTogether(messageRowId: string) {
  return { $or: [{ _id: messageRowId }, { headId: messageRowId }], ...VISIBLE, moving: null }
}

/** What is there to be seen. */
export const VISIBLE = { isPurged: null }

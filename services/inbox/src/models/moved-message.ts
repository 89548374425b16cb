import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** Where a message is that left an inbox for that of another loved one: for old links, a copy of it, and answers that come here. */
export type MovedMessage = {
  /** The id of its row in the inbox that it left. */
  _id: string
  workspaceId: string
  /** Whose inbox it left. */
  lovedOneId: string
  /** Its row now, also after it was moved once more. */
  messageRowId: string
  toLovedOneId: string
  conversationId: string
  movedAt: Date
  /** Absent on an answer that followed its conversation. */
  movedByName?: string
  hasCalendar?: true
  originalHash?: string
  size: number
  /** When what is left of it here is removed next (rearranging/finish-leaving.ts). Absent once it is. */
  finishAt?: Date
  /**
   * In a row of its own, with another id: its large original is being copied to this inbox. False while the copy is removed again,
   * because the move never ended.
   */
  isComing?: boolean
}

/** Where it is now, and who moved it there. */
export const MOVED_FIELDS = { messageRowId: 1, toLovedOneId: 1, movedByName: 1 } as const

const schema = rowSchema<MovedMessage>(
  'moved_messages',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    messageRowId: String,
    toLovedOneId: String,
    conversationId: String,
    movedAt: Date,
    movedByName: String,
    hasCalendar: Boolean,
    originalHash: String,
    size: Number,
    finishAt: Date,
    isComing: Boolean,
  },
  { workspaceId: 'field', messageRowId: 'apart' },
  { shardKey: { _id: 1 } },
)
schema.index({ messageRowId: 1 })
schema.index({ workspaceId: 1, lovedOneId: 1, toLovedOneId: 1 })
schema.index({ finishAt: 1 }, { sparse: true })

export function movedMessageModel(connection: Connection) {
  return connection.model('MovedMessage', schema)
}

export function comingId(messageRowId: string): string {
  return `${messageRowId}/coming`
}

import type { ConversationStatus } from './conversation-status.ts'

/** `joined`: its conversation was put with another one. */
export type Rearranged = {
  id: string
  kind: 'moved' | 'joined' | 'taken_out'
  personId: string
  name: string
  at: Date
  /** The public id of the message it was done with. */
  messageId: string
  /** Of `moved`: in whose inbox it was. */
  from?: string
  /** Of the others, so that it can be undone. On that message only. */
  undo?: {
    /** Its conversation was this one. */
    was: string
    /** Of `joined`: the id of the other conversation. Of `taken_out`: a message that stayed, by its public id. */
    beside: string
    /** Of `joined`: the statuses before it, and the version of the one that they became. */
    statuses?: ConversationStatus[]
    version?: number
  }
}

/** Older ones are no longer shown. */
export const MAX_REARRANGED = 10

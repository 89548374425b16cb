import { randomBytes } from 'node:crypto'
import { type Message, messageRowId, publicIdOf } from '@family-inbox/inbox/models/message'
import type { Workspace } from './workspace.ts'

const CHUNK = 2000
const MINUTE_MS = 60_000

/**
 * Adds many copies of a message to an inbox, one minute apart, going back from an hour ago.
 * @param shorten leaves out bodies and originals, so that 100,000 take little space
 */
export async function fillInbox(
  { storedRows, collection }: Workspace,
  { lovedOneId, count, shorten = false }: { lovedOneId: string; count: number; shorten?: boolean },
): Promise<void> {
  const messages = collection<Message>('inbox', 'messages')
  const newest = Date.now() - 60 * MINUTE_MS
  let last = ''
  for (let from = 0; from < count; from += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => {
      const sample = storedRows[(from + index) % storedRows.length] as Message
      const receivedAt = new Date(newest - (from + index) * MINUTE_MS)
      const row = copyOf({ ...sample, lovedOneId, receivedAt, ...(shorten && { text: '', original: undefined }) })
      // Every third mail answers the one before it.
      if ((from + index) % 3 !== 2) last = publicIdOf(row)
      return { ...row, conversationId: last }
    })
    await messages.insertMany(rows, { ordered: false, ignoreUndefined: true, writeConcern: { w: 1 } })
  }
}

/** Copies need no checks, no joining and no indexing, so they do not keep inbox busy. */
function copyOf({ authenticityPending: _, joinPending: _join, indexPending: _index, ...row }: Message): Message {
  return { ...row, _id: messageRowId(row, `msg_${randomBytes(16).toString('hex')}`) }
}

import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import type { Context } from '../context.ts'
import { messageNotFound } from '../models/message.ts'
import { type Note, newNoteId } from '../models/note.ts'

const MAX_TEXT = 2000
/** For each message. A few more may be added at the same moment. */
const MAX_NOTES = 100

export type NewNote = Omit<Note, '_id' | 'createdAt'>

/**
 * Stores a member's note on a message. Whoever is named is notified by `notifyNamed`.
 * @param idempotencyKey the same for every attempt
 * @returns the note, and whether it is new
 */
export async function storeNote(
  ctx: Context,
  written: NewNote,
  idempotencyKey: string,
): Promise<{ note: Note; isNew: boolean }> {
  const { workspaceId, lovedOneId, personId, messageRowId } = written
  const text = requireText(written.text)
  const note = { _id: newNoteId(personId, messageRowId, idempotencyKey, text), ...written, text, createdAt: new Date() }
  if ((await ctx.messages.exists({ _id: messageRowId })) === null) throw messageNotFound()
  const others = { messageRowId, _id: { $ne: note._id } }
  if ((await ctx.notes.countDocuments(others, { limit: MAX_NOTES })) >= MAX_NOTES)
    throw new StatusError('RESOURCE_EXHAUSTED', `A message can have ${MAX_NOTES} notes. Delete one first.`)
  const [isNew = false] = await insertOnce(ctx.notes.collection, [await ctx.seal(ctx.notes, workspaceId, note)])
  ctx.liveUpdates.announce(workspaceId, { lovedOneId })
  return { note, isNew }
}

function requireText(written: string): string {
  const text = cleanText(written).trim()
  if (text === '') throw invalidArgument('text', 'text is required.')
  if (text.length > MAX_TEXT) throw invalidArgument('text', `text must be at most ${MAX_TEXT} characters.`)
  return text
}

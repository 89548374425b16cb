import type { AddNoteRequest, AddNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { newNoteId } from '../models/note.ts'
import { notifyNamed } from '../notifying/notify-members.ts'

const MAX_TEXT = 2000
/** For each message. A few more may be added at the same moment. */
const MAX_NOTES = 100
const MAX_NAMED = 20

/** Adds a note that only the family sees. Repeating the request adds nothing. Every member, also viewers; no assistant. */
export function addNote(ctx: Context): Handler<AddNoteRequest, AddNoteResponse> {
  return async ({ messageId, lovedOneId, namedPersonIds, idempotencyKey, ...request }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { lovedOneId })
    requirePerson(call)
    const rowId = messageRowId({ workspaceId, lovedOneId }, messageId)
    const text = requireText(request.text)
    const note = {
      _id: newNoteId(personId, rowId, idempotencyKey, text),
      workspaceId,
      lovedOneId,
      messageRowId: rowId,
      personId,
      name,
      text,
      createdAt: new Date(),
      toNotify: await findNamed(ctx, workspaceId, personId, namedPersonIds),
    }
    if ((await ctx.messages.exists({ _id: rowId })) === null) throw messageNotFound()
    const others = { messageRowId: rowId, _id: { $ne: note._id } }
    if ((await ctx.notes.countDocuments(others, { limit: MAX_NOTES })) >= MAX_NOTES)
      throw new StatusError('RESOURCE_EXHAUSTED', `A message can have ${MAX_NOTES} notes. Delete one first.`)
    const [isNew] = await insertOnce(ctx.notes.collection, [note])
    if (isNew) await notifyNamed(ctx, note)
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    return { noteId: note._id }
  }
}

function requireText(written: string): string {
  const text = cleanText(written).trim()
  if (text === '') throw invalidArgument('text', 'text is required.')
  if (text.length > MAX_TEXT) throw invalidArgument('text', `text must be at most ${MAX_TEXT} characters.`)
  return text
}

/** Members of the workspace only; the author knows what they wrote. Undefined, which is not stored, for nobody. */
async function findNamed(ctx: Context, workspaceId: string, authorId: string, personIds: string[]) {
  const named = [...new Set(personIds)].filter((id) => id !== authorId).slice(0, MAX_NAMED)
  if (named.length === 0) return undefined
  const asked = { workspaceId, personIds: named, emails: [], owner: false }
  const { recipients } = await ctx.careCircle.listMailRecipients(asked)
  return recipients.length === 0 ? undefined : recipients.map(({ personId }) => personId)
}

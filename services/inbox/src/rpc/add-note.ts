import type { AddNoteRequest, AddNoteResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { storeNote } from '../conversations/store-note.ts'
import { messageRowId } from '../models/message.ts'
import { notifyNamed } from '../notifying/notify-members.ts'

const MAX_NAMED = 20

/** Adds a note that only the family sees. Repeating the request adds nothing. Every member, also viewers; no assistant. */
export function addNote(ctx: Context): Handler<AddNoteRequest, AddNoteResponse> {
  return async ({ messageId, lovedOneId, namedPersonIds, idempotencyKey, ...request }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { lovedOneId })
    requirePerson(call)
    const written = {
      workspaceId,
      lovedOneId,
      messageRowId: messageRowId({ workspaceId, lovedOneId }, messageId),
      personId,
      name,
      text: request.text,
      toNotify: await findNamed(ctx, workspaceId, personId, namedPersonIds),
    }
    const { note, isNew } = await storeNote(ctx, written, idempotencyKey)
    if (isNew) await notifyNamed(ctx, note)
    return { noteId: note._id }
  }
}

/** Members of the workspace only; the author knows what they wrote. Undefined, which is not stored, for nobody. */
async function findNamed(ctx: Context, workspaceId: string, authorId: string, personIds: string[]) {
  const named = [...new Set(personIds)].filter((id) => id !== authorId).slice(0, MAX_NAMED)
  if (named.length === 0) return undefined
  const asked = { workspaceId, personIds: named, emails: [], owner: false }
  const { recipients } = await ctx.careCircle.listMailRecipients(asked)
  return recipients.length === 0 ? undefined : recipients.map(({ personId }) => personId)
}

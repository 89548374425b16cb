import type { SaveDraftRequest, SaveDraftResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import type { Context } from '../context.ts'
import { draftId } from '../models/draft.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { keepDraft } from '../replying/drafts.ts'

/** A draft may be longer than a reply: nothing that was written is lost. */
const MAX_DRAFT = 25_000

/** Keeps the caller's unsent reply to a message. The last write wins. Owner and coordinators only. */
export function saveDraft(ctx: Context): Handler<SaveDraftRequest, SaveDraftResponse> {
  return async (request, call) => {
    const { messageId, lovedOneId, idempotencyKey } = request
    const { workspaceId, personId } = await ctx.requireMember(call, { write: true, lovedOneId })
    const body = requireDraft(request.body)
    const rowId = messageRowId({ workspaceId, lovedOneId }, messageId)
    if ((await ctx.messages.exists({ _id: rowId })) === null) throw messageNotFound()
    const _id = draftId(personId, rowId)
    if (body === '') {
      await ctx.drafts.deleteOne({ _id })
      return {}
    }
    await keepDraft(ctx, { workspaceId, messageRowId: rowId, personId, body })
    // Checked after writing: sending stores the reply before it deletes the draft, so one of the two deletes a late save.
    if ((await ctx.replies.exists({ workspaceId, idempotencyKey })) !== null) await ctx.drafts.deleteOne({ _id })
    else ctx.liveUpdates.announce(workspaceId, { lovedOneId, writing: { messageId, personId } })
    return {}
  }
}

function requireDraft(text: string): string {
  const body = cleanText(text).trim()
  if (body.length > MAX_DRAFT) throw invalidArgument('body', `body must be at most ${MAX_DRAFT} characters.`)
  return body
}

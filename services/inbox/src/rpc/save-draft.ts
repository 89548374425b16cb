import type { SaveDraftRequest, SaveDraftResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { draftId } from '../models/draft.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { keepDraft, requireDraft, typedLine } from '../replying/drafts.ts'

/** Keeps the caller's unsent reply to a message. The last write wins. Owner and coordinators only. */
export function saveDraft(ctx: Context): Handler<SaveDraftRequest, SaveDraftResponse> {
  return async (request, call) => {
    const { messageId, lovedOneId, idempotencyKey } = request
    const { workspaceId, personId } = await ctx.requireMember(call, { write: true, lovedOneId })
    const body = requireDraft(request.body)
    const cc = typedLine(request.cc ?? '')
    const rowId = messageRowId({ workspaceId, lovedOneId }, messageId)
    if ((await ctx.messages.exists({ _id: rowId })) === null) throw messageNotFound()
    const _id = draftId(personId, rowId)
    if (body === '' && cc === '') {
      await ctx.drafts.deleteOne({ _id })
      return {}
    }
    await keepDraft(ctx, { workspaceId, messageRowId: rowId, personId, body, cc })
    // Checked after writing: sending stores the reply before it deletes the draft, so one of the two deletes a late save.
    if ((await ctx.replies.exists({ workspaceId, idempotencyKey })) !== null) await ctx.drafts.deleteOne({ _id })
    else ctx.liveUpdates.announce(workspaceId, { lovedOneId, writing: { messageId, personId } })
    return {}
  }
}

import type { UndoReplyRequest, UndoReplyResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { newMailRowId } from '../models/draft.ts'
import { publicIdOf } from '../models/message.ts'
import type { Reply } from '../models/reply.ts'
import { idOf, keepDraft, type NewDraft } from '../replying/drafts.ts'
import { unsentUntil } from '../replying/reply-files.ts'

/**
 * Takes back the caller's own reply before it is sent; it becomes their draft again. Anything but an answer is returned,
 * too. Owner and coordinators only.
 */
export function undoReply(ctx: Context): Handler<UndoReplyRequest, UndoReplyResponse> {
  return async ({ replyId }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    const { workspaceId, personId } = member
    const own = { _id: replyId, workspaceId, personId, heldUntil: { $exists: true } }
    const reply = await ctx.replies.findOne(own).lean()
    if (reply === null) throw tooLate()
    // The draft first: a crash in between must not lose the text.
    const draft = toDraft(reply)
    const changedAt = await keepDraft(ctx, draft)
    if (await takeBack(ctx, own, reply, draft)) {
      const message = { messageId: publicIdOf({ _id: reply.messageRowId }), lovedOneId: reply.lovedOneId }
      if (reply.forward || reply.opening) await ctx.recordAct(member, { act: 'take_back_mail', message, once: replyId })
      return toTakenBack(reply)
    }
    // Unless they have written more since.
    await ctx.drafts.deleteOne({ _id: idOf(draft), changedAt })
    throw tooLate()
  }
}

function toDraft({
  workspaceId,
  personId,
  messageRowId,
  lovedOneId,
  to,
  body,
  forward,
  opening,
  ...reply
}: Reply): NewDraft {
  const cc = reply.cc?.join(', ') ?? ''
  const draft = { workspaceId, personId, messageRowId, body, cc }
  if (forward) {
    const parts = { files: forward.withFiles, original: forward.withOriginal }
    return { ...draft, kind: 'forward', lovedOneId, to, parts }
  }
  if (!opening) return draft
  return {
    ...draft,
    kind: 'opening',
    messageRowId: newMailRowId(workspaceId),
    lovedOneId,
    to,
    subject: opening.subject,
  }
}

function toTakenBack({ messageRowId, lovedOneId, to, cc, body, forward, opening }: Reply): UndoReplyResponse {
  if (!forward && !opening) return {}
  const request = { lovedOneId, to, ...(cc && { cc: { addresses: cc } }), body, idempotencyKey: '', undoSeconds: 0 }
  if (opening) return { written: { ...request, subject: opening.subject } }
  const parts = { files: forward?.withFiles ?? false, original: forward?.withOriginal ?? false }
  return { forward: { ...request, messageId: publicIdOf({ _id: messageRowId }), parts } }
}

/** The reply and its files change together. False when it is being sent. */
async function takeBack(
  ctx: Context,
  own: object,
  { _id, attachments = [] }: Reply,
  { messageRowId }: NewDraft,
): Promise<boolean> {
  if (attachments.length === 0) return (await ctx.replies.deleteOne(own)).deletedCount === 1
  const files = attachments.map(({ file }) => file)
  return ctx.connection.transaction(async (session) => {
    const { deletedCount } = await ctx.replies.deleteOne(own, { session })
    if (deletedCount === 0) return false
    const asDraft = { $unset: { replyId: 1 as const }, $set: { expiresAt: unsentUntil(), messageRowId } }
    await ctx.replyFiles.updateMany({ _id: { $in: files }, replyId: _id }, asDraft, { session })
    return true
  })
}

function tooLate(): StatusError {
  return new StatusError('FAILED_PRECONDITION', 'This reply is already on its way and can’t be undone.')
}

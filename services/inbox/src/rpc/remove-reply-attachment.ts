import type { RemoveReplyAttachmentRequest, RemoveReplyAttachmentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { replyFileId } from '../models/reply-file.ts'
import { removeFile } from '../replying/reply-files.ts'

/** Owner and coordinators only, and only their own. The id of anyone else's file is not found, and nothing happens. */
export function removeReplyAttachment(
  ctx: Context,
): Handler<RemoveReplyAttachmentRequest, RemoveReplyAttachmentResponse> {
  return async ({ attachmentId }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    await removeFile(ctx, replyFileId(member, attachmentId))
    return {}
  }
}

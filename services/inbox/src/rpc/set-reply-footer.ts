import type { SetReplyFooterRequest, SetReplyFooterResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { replyFooterId } from '../models/reply-footer.ts'

const MAX_FOOTER = 200

/** Changes the line that ends replies about a loved one, from the next reply on. Owner and coordinators only. */
export function setReplyFooter(ctx: Context): Handler<SetReplyFooterRequest, SetReplyFooterResponse> {
  return async ({ lovedOneId, text: written }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true, lovedOneId })
    const text = optionalLine('text', written, MAX_FOOTER)
    const _id = replyFooterId(workspaceId, lovedOneId)
    if (text === '') await ctx.replyFooters.deleteOne({ _id })
    else await ctx.replyFooters.updateOne({ _id }, { $set: { workspaceId, lovedOneId, text } }, { upsert: true })
    return {}
  }
}

import type { ChangeCategoryRequest, ChangeCategoryResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { fromWireCategory } from '../finding/to-summary.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'

/** Changes a message's category for the whole workspace. Owner and coordinators only. */
export function changeCategory(ctx: Context): Handler<ChangeCategoryRequest, ChangeCategoryResponse> {
  return async ({ messageId, lovedOneId, category: wire }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId, write: true })
    const category = fromWireCategory(wire)
    if (category === undefined) throw invalidArgument('category', 'category must be a known category.')
    const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
    // Also marks it for indexing, so the index catches up after a crash.
    const { matchedCount } = await ctx.messages.updateOne({ _id }, { $set: { category, indexPending: true } })
    if (matchedCount === 0) throw messageNotFound()
    await ctx.indexEntries.updateOne({ _id }, { $set: { category } })
    ctx.wake.index()
    return {}
  }
}

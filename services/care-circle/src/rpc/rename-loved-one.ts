import type { RenameLovedOneRequest, RenameLovedOneResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

export function renameLovedOne(ctx: Context): Handler<RenameLovedOneRequest, RenameLovedOneResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId } = await requireMember(ctx, call, { lovedOneId, write: true })
    const name = requirePlainLine('name', request.name, 120)
    await ctx.lovedOnes.updateOne({ _id: lovedOneId, workspaceId }, { $set: { name } })
    return { lovedOne: { id: lovedOneId, name } }
  }
}

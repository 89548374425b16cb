import type { ListLovedOnesRequest, ListLovedOnesResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

export function listLovedOnes(ctx: Context): Handler<ListLovedOnesRequest, ListLovedOnesResponse> {
  return async (_request, call) => {
    const { workspaceId } = await requireMember(ctx, call)
    const lovedOnes = await ctx.lovedOnes.find({ workspaceId }).sort({ createdAt: 1 }).lean()
    return { lovedOnes: lovedOnes.map(({ _id, name }) => ({ id: _id, name })) }
  }
}

import type { AddLovedOneRequest, AddLovedOneResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireLine } from '@family-inbox/service-kit/text-rules'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** Adds a loved one to the household. Owner and coordinators only. */
export function addLovedOne(ctx: Context): Handler<AddLovedOneRequest, AddLovedOneResponse> {
  return async (request, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const name = requireLine('name', request.name, 120)
    const lovedOne = await ctx.lovedOnes.insertOne({ _id: newId('lo'), workspaceId, name, createdAt: new Date() })
    return { lovedOne: { id: lovedOne._id, name } }
  }
}

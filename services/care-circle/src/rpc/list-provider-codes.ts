import type { ListProviderCodesRequest, ListProviderCodesResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { usableCodes } from '../models/provider-code.ts'
import { requireMember } from '../require-member.ts'

/** Shows only the last two characters. Viewers see them too. */
export function listProviderCodes(ctx: Context): Handler<ListProviderCodesRequest, ListProviderCodesResponse> {
  return async ({ lovedOneId }, call) => {
    const { workspaceId } = await requireMember(ctx, call, lovedOneId === '' ? {} : { lovedOneId })
    const ofLovedOne = lovedOneId === '' ? {} : { lovedOneId }
    const codes = await ctx.providerCodes
      .find({ workspaceId, ...ofLovedOne, ...usableCodes() })
      .sort({ createdAt: -1 })
      .lean()
    return { codes: codes.map(({ _id, ...code }) => ({ id: _id, ...code })) }
  }
}

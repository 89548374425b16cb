import type { CheckSharingRequest, CheckSharingResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function checkSharing(ctx: Context): Handler<CheckSharingRequest, CheckSharingResponse> {
  return async ({ linkIds }, call) => {
    requireService(call, 'care-circle')
    const rows = await ctx.links.find({ _id: { $in: linkIds }, shared: true, live: true }, { _id: 1 }).lean()
    const shared = new Set(rows.map(({ _id }) => _id))
    return { shared: linkIds.map((id) => shared.has(id)) }
  }
}

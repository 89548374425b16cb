import type { SetFamilyShareRequest, SetFamilyShareResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireSubject, subjectNotFound } from '../partners.ts'

/** Off applies to every event, delivery and read that starts after this response. */
export function setFamilyShare(ctx: Context): Handler<SetFamilyShareRequest, SetFamilyShareResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const subject = requireSubject(request)
    const { shared } = request
    const change = { $set: { shared, shareChangedAt: new Date() } }
    const { matchedCount } = await ctx.links.updateOne({ ...subject, live: true }, change)
    if (matchedCount === 0) throw subjectNotFound()
    return {}
  }
}

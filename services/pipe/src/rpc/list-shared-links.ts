import type { ListSharedLinksRequest, ListSharedLinksResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** care-circle has checked the reader's membership. */
export function listSharedLinks(ctx: Context): Handler<ListSharedLinksRequest, ListSharedLinksResponse> {
  return async ({ workspaceId, lovedOneId }, call) => {
    requireService(call, 'care-circle')
    const ofAll = lovedOneId === ''
    const inboxes = { workspaceId, ...(!ofAll && { lovedOneId }) }
    const links = await ctx.links.find({ ...inboxes, shared: true, live: true }, { partnerId: 1, lovedOneId: 1 }).lean()
    if (links.length === 0) return { links: [], ofAll }
    const partners = await ctx.partners
      .find({ _id: { $in: links.map(({ partnerId }) => partnerId) }, active: true }, { name: 1 })
      .lean()
    const nameOf = new Map(partners.map(({ _id, name }) => [_id, name]))
    return {
      links: links.flatMap(({ _id, partnerId, lovedOneId }) => {
        const institutionName = nameOf.get(partnerId)
        return institutionName === undefined ? [] : [{ linkId: _id, institutionName, lovedOneId }]
      }),
      ofAll,
    }
  }
}

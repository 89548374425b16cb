import type { ListLinkedProvidersRequest, ListLinkedProvidersResponse } from '@family-inbox/proto/pipe/v1/pipe'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function listLinkedProviders(ctx: Context): Handler<ListLinkedProvidersRequest, ListLinkedProvidersResponse> {
  return async ({ lovedOneId }, call) => {
    const aboutOne = lovedOneId === '' ? {} : { lovedOneId }
    const { workspaceId } = await ctx.requireMember(call, aboutOne)
    const links = await ctx.links
      .find({ workspaceId, ...aboutOne, live: true })
      .sort({ linkedAt: -1 })
      .lean()
    const partners = await ctx.partners
      .find({ _id: { $in: links.map(({ partnerId }) => partnerId) } }, { name: 1, active: 1 })
      .lean()
    const partnerOf = new Map(partners.map((partner) => [partner._id, partner]))
    return {
      providers: links.map(({ _id, lovedOneId, institutionId, partnerId, shared, linkedAt }) => {
        const { name = institutionId, active = false } = partnerOf.get(partnerId) ?? {}
        return { linkId: _id, lovedOneId, institutionId, name, shared: shared && active, linkedAt }
      }),
    }
  }
}

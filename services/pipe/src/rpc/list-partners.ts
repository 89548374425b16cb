import type { ListPartnersRequest, ListPartnersResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { Partner } from '../models/partner.ts'
import { toWirePartner } from '../partners.ts'

export function listPartners(ctx: Context): Handler<ListPartnersRequest, ListPartnersResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const rows = await ctx.partners
      .find(olderThan('createdAt', request.pageToken))
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean<Partner[]>()
    const { page, nextPageToken } = cutPage(rows, limit, ({ createdAt }) => createdAt)
    return { partners: page.map(toWirePartner), nextPageToken }
  }
}

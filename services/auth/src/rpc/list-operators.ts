import type { ListOperatorsRequest, ListOperatorsResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function listOperators(ctx: Context): Handler<ListOperatorsRequest, ListOperatorsResponse> {
  return async (_request, call) => {
    requireService(call, 'ops')
    const rows = await ctx.people
      .find({ operatorSince: { $ne: null } }, { email: 1 })
      .sort({ email: 1 })
      .lean()
    return { emails: rows.map(({ email }) => email) }
  }
}

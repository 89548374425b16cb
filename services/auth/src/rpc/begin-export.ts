import type { BeginExportRequest, BeginExportResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { EXPORTS_OF_PERSON, enforceRateLimit } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'

/** Limited, because an export is the most expensive request of a page. */
export function beginExport(ctx: Context): Handler<BeginExportRequest, BeginExportResponse> {
  return async (_request, call) => {
    const { personId } = await ctx.requireMember(call)
    await enforceRateLimit(ctx, EXPORTS_OF_PERSON, personId)
    return {}
  }
}

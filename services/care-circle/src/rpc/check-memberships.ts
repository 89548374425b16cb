import type {
  CheckMembershipsRequest,
  CheckMembershipsResponse,
  MembershipCheck,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findMemberships, type MembershipQuery } from '../require-member.ts'

/** An invalid principal is no member. */
export function checkMemberships(ctx: Context): Handler<CheckMembershipsRequest, CheckMembershipsResponse> {
  return async (request, call) => {
    const service = requireService(call, 'gateway', 'auth', 'inbox', 'sandbox', 'pipe', 'site')
    const queries = await Promise.all(request.checks.map((check) => toQuery(ctx, check, service)))
    return { memberships: await findMemberships(ctx, queries) }
  }
}

async function toQuery(
  ctx: Context,
  { principal, lovedOneId }: MembershipCheck,
  service: string,
): Promise<MembershipQuery> {
  return { caller: await ctx.identity.verifyPrincipal(principal, service).catch(() => undefined), lovedOneId }
}

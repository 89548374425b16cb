import type {
  CheckMembershipsRequest,
  CheckMembershipsResponse,
  MembershipCheck,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findMemberships, type MembershipQuestion } from '../require-member.ts'

/** Says for each principal whether it is a member now. A principal that cannot be believed is nobody's member. */
export function checkMemberships(ctx: Context): Handler<CheckMembershipsRequest, CheckMembershipsResponse> {
  return async (request, call) => {
    const asker = requireService(call, 'gateway', 'auth', 'inbox', 'sandbox', 'pipe', 'site')
    const questions = await Promise.all(request.checks.map((check) => toQuestion(ctx, check, asker)))
    return { memberships: await findMemberships(ctx, questions) }
  }
}

async function toQuestion(
  ctx: Context,
  { principal, lovedOneId }: MembershipCheck,
  asker: string,
): Promise<MembershipQuestion> {
  return { caller: await ctx.identity.verifyPrincipal(principal, asker).catch(() => undefined), lovedOneId }
}

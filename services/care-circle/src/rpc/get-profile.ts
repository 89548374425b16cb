import type { GetProfileRequest, GetProfileResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

/** SPEC "Caller profile". Never another member's email. */
export function getProfile(ctx: Context): Handler<GetProfileRequest, GetProfileResponse> {
  return async (_request, call) => {
    const { workspaceId, personId, role, name } = await requireMember(ctx, call)
    const [member, workspace] = await Promise.all([
      ctx.members.findById(memberId(workspaceId, personId), { email: 1 }).lean().orFail(),
      ctx.workspaces.findById(workspaceId).lean().orFail(),
    ])
    return { name, email: member.email, role, workspaceId, workspaceName: workspace.name, plan: workspace.plan }
  }
}

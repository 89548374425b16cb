import type {
  GetAssistantSettingsRequest,
  GetAssistantSettingsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

export function getAssistantSettings(ctx: Context): Handler<GetAssistantSettingsRequest, GetAssistantSettingsResponse> {
  return async (_request, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call)
    const fields = { assistants: 1, assistantsPaused: 1 }
    const { assistants, assistantsPaused } = await ctx.members
      .findById(memberId(workspaceId, personId), fields)
      .lean()
      .orFail()
    return {
      approvalRequired: assistants?.approvalRequired ?? false,
      paused: assistants?.paused ?? false,
      disclosed: assistants?.disclosed ?? false,
      ownPaused: assistantsPaused ?? false,
      guarded: assistants?.guarded ?? false,
    }
  }
}

import type {
  AnnounceInvitationProposalRequest,
  AnnounceInvitationProposalResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { scheduleNotifications } from '../models/notification-setting.ts'

/** care-circle keeps the proposal and calls no other service for it. A lost announcement only delays the notification. */
export function announceInvitationProposal(
  ctx: Context,
): Handler<AnnounceInvitationProposalRequest, AnnounceInvitationProposalResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true, proposes: true })
    await scheduleNotifications(ctx.notificationSettings, [workspaceId], ctx.config.notificationDelayMs)
    ctx.wake.notifications()
    return {}
  }
}

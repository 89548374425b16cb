import type {
  RevokeCalendarFeedRequest,
  RevokeCalendarFeedResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** Only the caller's own: nobody else sees or holds its address. */
export function revokeCalendarFeed(ctx: Context): Handler<RevokeCalendarFeedRequest, RevokeCalendarFeedResponse> {
  return async ({ feedId }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call)
    const own = { _id: feedId, workspaceId, personId, revokedAt: null }
    const { matchedCount } = await ctx.calendarFeeds.updateOne(own, { $set: { revokedAt: new Date() } })
    if (matchedCount === 0) throw new StatusError('NOT_FOUND', 'You have no such calendar address.')
    return {}
  }
}

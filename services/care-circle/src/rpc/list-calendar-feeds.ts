import type { ListCalendarFeedsRequest, ListCalendarFeedsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { feedToWire } from '../models/calendar-feed.ts'
import { requireMember } from '../require-member.ts'

export function listCalendarFeeds(ctx: Context): Handler<ListCalendarFeedsRequest, ListCalendarFeedsResponse> {
  return async (_request, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call)
    const rows = await ctx.calendarFeeds.find({ workspaceId, personId, revokedAt: null }).sort({ createdAt: 1 }).lean()
    return { feeds: rows.map(feedToWire) }
  }
}

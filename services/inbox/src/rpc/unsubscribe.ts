import type { UnsubscribeRequest, UnsubscribeResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { NO_SUMMARY } from '../notifying/send-summaries.ts'

/** Needs no sign-in (RFC 8058). Idempotent; an unknown token gets the same response. */
export function unsubscribe(ctx: Context): Handler<UnsubscribeRequest, UnsubscribeResponse> {
  return async ({ token, weeklySummary }, call) => {
    requireService(call, 'site')
    if (token !== '')
      await ctx.notificationSettings.updateOne(
        { unsubscribeToken: token },
        weeklySummary
          ? { $unset: NO_SUMMARY }
          : { $set: { mode: 'none', changedAt: new Date() }, $unset: { dueAt: 1, pendingUpTo: 1 } },
      )
    return {}
  }
}

import type { UnsubscribeRequest, UnsubscribeResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/**
 * Ends the notices an unsubscribe link belongs to, for whoever has the mail (RFC 8058): no sign-in. The answer is the same for
 * a link that leads nowhere, so it tells a stranger nothing; doing it twice does no harm.
 */
export function unsubscribe(ctx: Context): Handler<UnsubscribeRequest, UnsubscribeResponse> {
  return async ({ token }, call) => {
    requireService(call, 'site')
    if (token !== '')
      await ctx.notificationSettings.updateOne(
        { unsubscribeToken: token },
        { $set: { mode: 'none', changedAt: new Date() }, $unset: { dueAt: 1, pendingUpTo: 1 } },
      )
    return {}
  }
}

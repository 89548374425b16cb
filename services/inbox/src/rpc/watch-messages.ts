import type { WatchMessagesRequest, WatchMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Watchers reconnect after this, which ends watches of former members. */
const LIFETIME_MS = 5 * 60_000

/** Announces arriving mail and members who are writing replies, without any content. */
export function watchMessages(ctx: Context): StreamHandler<WatchMessagesRequest, WatchMessagesResponse> {
  return async function* ({ since = '' }, call) {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const until = Math.min(call.deadline, Date.now() + LIFETIME_MS)
    let isFirst = true
    for await (const update of ctx.liveUpdates.watch(workspaceId, call.signal)) {
      if (Date.now() >= until) return
      const { lovedOneId = '', writing } = update ?? {}
      const unchanged = isFirst && ctx.liveUpdates.isUnchanged(workspaceId, since)
      isFirst = false
      if (writing?.personId !== personId) yield { lovedOneId, writing, unchanged }
    }
  }
}

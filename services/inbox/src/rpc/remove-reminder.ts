import type { RemoveReminderRequest, RemoveReminderResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Removes a reminder of the workspace, whoever set it. Idempotent. Owner and coordinators only. */
export function removeReminder(ctx: Context): Handler<RemoveReminderRequest, RemoveReminderResponse> {
  return async ({ reminderId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    const removed = await ctx.reminders.findOneAndDelete({ _id: reminderId, workspaceId }).lean()
    if (removed !== null) ctx.liveUpdates.announce(workspaceId, { lovedOneId: removed.lovedOneId })
    return {}
  }
}

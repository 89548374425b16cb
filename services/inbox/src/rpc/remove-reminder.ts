import type { RemoveReminderRequest, RemoveReminderResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Removes a reminder of the workspace, whoever set it. Idempotent. Owner and coordinators only. */
export function removeReminder(ctx: Context): Handler<RemoveReminderRequest, RemoveReminderResponse> {
  return async ({ reminderId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    await ctx.reminders.deleteOne({ _id: reminderId, workspaceId })
    return {}
  }
}

import {
  NotificationMode,
  type SetNotificationsRequest,
  type SetNotificationsResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { isTimeZone } from '@family-inbox/service-kit/time/time-zone'
import type { Context } from '../context.ts'
import { type NotificationSetting, newUnsubscribeToken, notificationSettingId } from '../models/notification-setting.ts'
import { digestDueAt } from '../notifying/send-notifications.ts'
import { chooseSummary } from '../notifying/send-summaries.ts'

const MODES: Partial<Record<NotificationMode, NotificationSetting['mode']>> = {
  [NotificationMode.NONE]: 'none',
  [NotificationMode.PERSONAL]: 'personal',
  [NotificationMode.EACH]: 'each',
  [NotificationMode.DIGEST]: 'digest',
}

/** Changes the caller's notifications, starting with mail that arrives from now on. */
export function setNotifications(ctx: Context): Handler<SetNotificationsRequest, SetNotificationsResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const mode = MODES[request.mode]
    if (mode === undefined) throw invalidArgument('mode', 'mode must be none, personal, each or digest.')
    const { timeZone, answerByMail } = request
    if (!isTimeZone(timeZone))
      throw invalidArgument('timeZone', 'timeZone must be an IANA time zone, such as Europe/Lisbon.')
    const now = new Date()
    await ctx.notificationSettings.updateOne(
      { _id: notificationSettingId(workspaceId, personId) },
      {
        $set: {
          workspaceId,
          personId,
          mode,
          timeZone,
          changedAt: now,
          notifiedUpTo: now,
          ...(mode === 'digest' && { dueAt: digestDueAt(now, timeZone) }),
          ...(answerByMail === false && { answersOff: true as const }),
        },
        $setOnInsert: { unsubscribeToken: newUnsubscribeToken() },
        $unset: { pendingUpTo: 1, ...(mode !== 'digest' && { dueAt: 1 }), ...(answerByMail && { answersOff: 1 }) },
      },
      { upsert: true },
    )
    if (request.weeklySummary !== undefined) await chooseSummary(ctx, { workspaceId, personId }, request.weeklySummary)
    return {}
  }
}

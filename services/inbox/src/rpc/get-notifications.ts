import {
  type GetNotificationsRequest,
  type GetNotificationsResponse,
  NotificationMode,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { type NotificationSetting, notificationSettingId } from '../models/notification-setting.ts'

const MODES: Record<NotificationSetting['mode'], NotificationMode> = {
  none: NotificationMode.NONE,
  personal: NotificationMode.PERSONAL,
  each: NotificationMode.EACH,
  digest: NotificationMode.DIGEST,
}

export function getNotifications(ctx: Context): Handler<GetNotificationsRequest, GetNotificationsResponse> {
  return async (_request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const setting = await ctx.notificationSettings
      .findById(notificationSettingId(workspaceId, personId), { mode: 1, timeZone: 1, summaryDueAt: 1, answersOff: 1 })
      .lean()
    return {
      mode: MODES[setting?.mode ?? 'personal'],
      timeZone: setting?.timeZone ?? '',
      weeklySummary: setting?.summaryDueAt !== undefined,
      answerByMail: setting?.answersOff !== true,
    }
  }
}

import { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { HouseholdHandler } from '../../household.ts'
import { notificationsPage } from '../../pages/settings/notifications.ts'
import { asPerson } from '../../session.ts'
import { NOTIFICATION_MODES } from '../../settings/notification-modes.ts'

/** Keeps whether the reader wants to be told of new mail. */
export function setNotifications(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const values = { mode: visit.field('mode').slice(0, 20), timeZone: visit.field('timeZone').slice(0, 100) }
    const mode = Object.hasOwn(NOTIFICATION_MODES, values.mode)
      ? NOTIFICATION_MODES[values.mode as keyof typeof NOTIFICATION_MODES]
      : NotificationMode.UNSPECIFIED
    try {
      await ctx.inbox.setNotifications({ mode, timeZone: values.timeZone }, asPerson(household.session, visit))
      return {
        redirectTo: '/settings/notifications',
        notice: `notifications-${values.mode as keyof typeof NOTIFICATION_MODES}`,
      }
    } catch (error) {
      return { status: 422, page: notificationsPage({ household, values, errors: toFieldErrors(error, WORDS) }) }
    }
  }
}

const WORDS = {
  mode: 'Choose when we shall write',
  timeZone: 'Choose a place from the list',
}

import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { notificationsPage } from '../../pages/settings/notifications.ts'
import { asPerson } from '../../session.ts'
import { wordOfMode } from '../../settings/notification-modes.ts'

/** Shows whether the reader is told of new mail; their time zone is the browser's until they have chosen one. */
export function showNotifications(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const { mode, timeZone } = await ctx.inbox.getNotifications({}, asPerson(household.session, visit))
    const values = { mode: wordOfMode(mode), timeZone: timeZone || visit.clock.timeZone }
    return { page: notificationsPage({ household, values, errors: {} }) }
  }
}

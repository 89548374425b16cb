import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { asPerson } from '../../session.ts'

/** Disconnects an application of the reader's. */
export function disconnectApp(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    await ctx.auth.revokeGrant({ grantId: visit.param('id').slice(0, 128) }, asPerson(household.session, visit))
    return { redirectTo: '/settings/connected-apps', notice: 'app-disconnected' }
  }
}

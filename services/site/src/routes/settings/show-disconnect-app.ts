import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { disconnectAppPage } from '../../pages/settings/disconnect-app.ts'
import { asPerson } from '../../session.ts'
import { notFound } from '../../settings/not-found.ts'

/** Asks whether an application shall really be disconnected. */
export function showDisconnectApp(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const request = { grantId: visit.param('id').slice(0, 128) }
    const { grant } = await ctx.auth.getGrant(request, asPerson(household.session, visit))
    if (grant === undefined) throw notFound()
    return { page: disconnectAppPage({ household, grant }) }
  }
}

import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { connectedAppsPage } from '../../pages/settings/connected-apps.ts'
import { asPerson } from '../../session.ts'

const PAGE_SIZE = 50

/** Shows the applications the reader has connected. */
export function showConnectedApps(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const pageToken = visit.query('after')
    const request = { pageSize: PAGE_SIZE, pageToken }
    const { grants, nextPageToken } = await ctx.auth.listGrants(request, asPerson(household.session, visit))
    const isFirstPage = pageToken === ''
    return { page: connectedAppsPage({ household, clock: visit.clock, grants, nextPageToken, isFirstPage }) }
  }
}

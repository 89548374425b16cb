import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { devicesPage } from '../../pages/settings/devices.ts'
import { asPerson } from '../../session.ts'

const PAGE_SIZE = 50

/** Shows where the reader is signed in. */
export function showDevices(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const pageToken = visit.query('after')
    const request = { pageSize: PAGE_SIZE, pageToken }
    const { sessions, nextPageToken } = await ctx.auth.listSessions(request, asPerson(household.session, visit))
    const isFirstPage = pageToken === ''
    return { page: devicesPage({ household, clock: visit.clock, sessions, nextPageToken, isFirstPage }) }
  }
}

import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { yourDataPage } from '../../pages/settings/your-data.ts'
import { asPerson } from '../../session.ts'

/** Shows what can be done with what is kept: take it along, leave it, delete it; and how much there is. */
export function showYourData(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const storage = await ctx.inbox.getStorage({}, asPerson(household.session, visit)).catch(() => undefined)
    return { page: yourDataPage({ household, storage }) }
  }
}

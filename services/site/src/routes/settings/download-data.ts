import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { calendarDay } from '../../parts/moment.ts'
import { asPerson } from '../../session.ts'
import { zipHousehold } from '../../settings/zip-household.ts'

/** Answers with everything the household has that the reader may read. So many times a day, since it is a lot of work. */
export function downloadData(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    await ctx.auth.beginExport({}, asPerson(household.session, visit))
    const body = await zipHousehold(ctx, visit, household)
    const filename = `family-care-inbox-${calendarDay(visit.clock.now, visit.clock)}.zip`
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="${filename}"`,
    }
    return { headers, body }
  }
}

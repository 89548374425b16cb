import { readAgencies } from '../../care-circle/read-agencies.ts'
import type { Context } from '../../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../../household.ts'
import { measurementsPage } from '../../pages/timeline/measurements.ts'
import { readFilter } from '../../timeline/filter.ts'
import { readMeasurements } from '../../timeline/read-measurements.ts'
import { toSeries } from '../../timeline/series.ts'

/** Shows what was measured of a loved one, or of everyone, over time. */
export function showMeasurements(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.param('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(household, id)
    const filter = readFilter('', visit.query('period'))
    const lovedOnes = lovedOne ? [lovedOne] : household.lovedOnes
    const { events, isCut } = await readMeasurements(ctx, visit, household, lovedOnes, filter)
    const agencies = events.length === 0 ? await readAgencies(ctx, visit, household) : []
    const series = toSeries(events)
    return { page: measurementsPage({ household, clock: visit.clock, lovedOne, filter, series, isCut, agencies }) }
  }
}

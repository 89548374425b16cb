import type { Context } from '../context.ts'
import { type HouseholdHandler, requireLovedOne } from '../household.ts'
import { timelinePage } from '../pages/timeline.ts'
import { asPerson } from '../session.ts'

const NEWEST = 20

/** Shows what was said about the care of a loved one, or of everyone. */
export function showTimeline(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.param('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(household, id)
    const shown = lovedOne ? [lovedOne] : household.lovedOnes
    const timelines = await Promise.all(
      shown.map(async (one) => {
        const request = {
          lovedOneId: one.id,
          pageSize: NEWEST,
          pageToken: '',
          since: undefined,
          until: undefined,
          eventTypes: [],
        }
        const { events } = await ctx.careCircle.listCareEvents(request, asPerson(household.session, visit))
        return { lovedOne: one, events }
      }),
    )
    return { page: timelinePage({ household, clock: visit.clock, lovedOne, timelines }) }
  }
}

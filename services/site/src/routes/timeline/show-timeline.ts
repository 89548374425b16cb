import { readAgencies } from '../../care-circle/read-agencies.ts'
import type { Context } from '../../context.ts'
import { type Household, type HouseholdHandler, type LovedOne, requireLovedOne } from '../../household.ts'
import { timelinePage } from '../../pages/timeline/timeline.ts'
import { readFilter } from '../../timeline/filter.ts'
import { mergePages, type Place, readPlaces, writePlaces } from '../../timeline/merge-pages.ts'
import { readEventPage } from '../../timeline/read-events.ts'

/** The most events on a page. It is less than is read of each loved one, so that silences are seen beyond its end. */
const EVENTS_ON_PAGE = 40

/** Shows what happened in the care of a loved one, or of everyone, day by day. */
export function showTimeline(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const id = visit.param('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(household, id)
    const filter = readFilter(visit.query('type'), visit.query('period'))
    const places = readPlaces(visit.query('page'))
    const lovedOnes = lovedOne ? [lovedOne] : household.lovedOnes
    const pages = await Promise.all(
      startingPlaces(places, lovedOnes).map(({ whose, place }) =>
        readEventPage(ctx, visit, household, { lovedOne: whose, place, filter }),
      ),
    )
    const { events, following, next } = mergePages(pages, EVENTS_ON_PAGE)
    const page = timelinePage({
      household,
      clock: visit.clock,
      lovedOne,
      filter,
      events,
      following,
      isFirstPage: places === undefined,
      nextPlace: writePlaces(next),
      agencies: events.length === 0 ? await readAgencies(ctx, visit, household) : [],
    })
    return { page }
  }
}

/** Where to go on for each loved one: where the address says, or at the newest. Loved ones of others are not in it. */
function startingPlaces(places: Place[] | undefined, lovedOnes: Household['lovedOnes']) {
  return lovedOnes.flatMap((whose): { whose: LovedOne; place: Place }[] => {
    if (places === undefined) return [{ whose, place: { lovedOneId: whose.id, pageToken: '', seen: 0 } }]
    const place = places.find(({ lovedOneId }) => lovedOneId === whose.id)
    return place ? [{ whose, place }] : []
  })
}

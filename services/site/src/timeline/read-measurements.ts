import type { Context } from '../context.ts'
import type { Household, LovedOne } from '../household.ts'
import type { Visit } from '../http/visit.ts'
import type { TimelineEvent } from './event.ts'
import type { Filter } from './filter.ts'
import { readEventPage } from './read-events.ts'

/** The most pages that are read of one loved one: 400 measurements, of which a line shows no more anyway. */
const MOST_PAGES = 8

/** The newest measurements of some loved ones, and whether there are older ones that were not read. */
export async function readMeasurements(
  ctx: Context,
  visit: Visit,
  household: Household,
  lovedOnes: LovedOne[],
  { period }: Filter,
): Promise<{ events: TimelineEvent[]; isCut: boolean }> {
  const filter: Filter = { type: 'measurements', period }
  const all = await Promise.all(lovedOnes.map((lovedOne) => readAll(ctx, visit, household, lovedOne, filter)))
  return { events: all.flatMap(({ events }) => events), isCut: all.some(({ isCut }) => isCut) }
}

async function readAll(ctx: Context, visit: Visit, household: Household, lovedOne: LovedOne, filter: Filter) {
  const events: TimelineEvent[] = []
  let pageToken = ''
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const place = { lovedOneId: lovedOne.id, pageToken, seen: 0 }
    const read = await readEventPage(ctx, visit, household, { lovedOne, place, filter })
    events.push(...read.events)
    pageToken = read.nextPageToken
    if (pageToken === '') break
  }
  return { events, isCut: pageToken !== '' }
}

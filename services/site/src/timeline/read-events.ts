import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { toTimelineEvent } from './event.ts'
import { eventTypesOf, type Filter, sinceOf } from './filter.ts'
import type { EventPage, PageCursor } from './merge-pages.ts'

const PAGE_SIZE = 50

/** Reads one page of one loved one's events. */
export async function readEventPage(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  { lovedOne, cursor, filter }: { lovedOne: LovedOne; cursor: PageCursor; filter: Filter },
): Promise<EventPage> {
  const { events, nextPageToken } = await ctx.careCircle.listCareEvents(
    {
      lovedOneId: lovedOne.id,
      pageSize: PAGE_SIZE,
      pageToken: cursor.pageToken,
      since: sinceOf(filter, visit.clock.now),
      until: undefined,
      eventTypes: eventTypesOf(filter),
    },
    asPerson(session, visit),
  )
  return { cursor, events: events.flatMap((event) => toTimelineEvent(event, lovedOne)), nextPageToken }
}

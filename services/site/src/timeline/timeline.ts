import { type LinkedAgency, readAgencies } from '../care-circle/read-agencies.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { betweenDays, nameOfDay } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { paging, withQuery } from '../shell/paging.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { dayEvents } from './day.ts'
import { groupByDay, shiftDay } from './days.ts'
import { emptyTimeline } from './empty.ts'
import type { TimelineEvent } from './event.ts'
import { type Filter, filterForm, readFilter } from './filter.ts'
import { timelineFrame, timelinePath } from './frame.ts'
import { findGaps, findSilences, type Gap } from './gaps.ts'
import { mergePages, type Place, readPlaces, writePlaces } from './merge-pages.ts'
import { readEventPage } from './read-events.ts'

/** The most events on a page. It is less than is read of each loved one, so that silences are seen beyond its end. */
const EVENTS_ON_PAGE = 40

/** Shows what happened in the care of a loved one, or of everyone, day by day. */
export function showTimeline(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.param('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const filter = readFilter(visit.query('type'), visit.query('period'))
    const places = readPlaces(visit.query('page'))
    const lovedOnes = lovedOne ? [lovedOne] : workspace.lovedOnes
    const pages = await Promise.all(
      startingPlaces(places, lovedOnes).map(({ whose, place }) =>
        readEventPage(ctx, visit, workspace, { lovedOne: whose, place, filter }),
      ),
    )
    const { events, following, next } = mergePages(pages, EVENTS_ON_PAGE)
    const page = timelinePage({
      workspace,
      clock: visit.clock,
      lovedOne,
      filter,
      events,
      following,
      isFirstPage: places === undefined,
      nextPlace: writePlaces(next),
      agencies: events.length === 0 ? await readAgencies(ctx, visit, workspace) : [],
    })
    return { page }
  }
}

/** Where to go on for each loved one: where the address says, or at the newest. Loved ones of others are not in it. */
function startingPlaces(places: Place[] | undefined, lovedOnes: Workspace['lovedOnes']) {
  return lovedOnes.flatMap((whose): { whose: LovedOne; place: Place }[] => {
    if (places === undefined) return [{ whose, place: { lovedOneId: whose.id, pageToken: '', seen: 0 } }]
    const place = places.find(({ lovedOneId }) => lovedOneId === whose.id)
    return place ? [{ whose, place }] : []
  })
}

type TimelineData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  filter: Filter
  /** Newest first. */
  events: TimelineEvent[]
  /** What follows on the next page, as far as it is known. */
  following: TimelineEvent[]
  isFirstPage: boolean
  /** The place the next page begins at; empty on the last. */
  nextPlace: string
  agencies: LinkedAgency[] | undefined
}

/** What happened in the care of a loved one, or of everyone, day by day. */
function timelinePage(data: TimelineData): Page {
  const { workspace, lovedOne, filter, events, isFirstPage, nextPlace } = data
  const path = timelinePath(lovedOne?.id ?? '', 'days')
  const isFiltered = filter.type !== undefined || filter.period !== undefined
  const isEmpty = events.length === 0 && isFirstPage
  return timelineFrame({
    workspace,
    lovedOne,
    view: 'days',
    filter,
    main: html`${(isFiltered || !isEmpty) && filterForm({ action: path, filter, hasTypes: true })}
${isEmpty ? emptyTimeline({ ...data, isFiltered, path }) : days(data)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(path, filter),
  nextHref: nextPlace === '' ? undefined : withQuery(path, { ...filter, page: nextPlace }),
  words: { first: 'Newest', next: 'Earlier' },
})}`,
  })
}

/** The days with something on them, and between them the silences. With one type chosen, silence cannot be told. */
function days({ clock, workspace, filter, lovedOne, events, following, isFirstPage }: TimelineData): Html[] {
  const shown = groupByDay(events, clock)
  const oldest = shown.at(-1)?.day ?? ''
  const gaps = filter.type ? [] : findGaps([...events, ...following], clock).filter(({ lastDay }) => lastDay >= oldest)
  const silences = filter.type || !isFirstPage ? [] : findSilences(events, clock)
  const several = lovedOne === undefined && workspace.lovedOnes.length > 1
  const sources = new Set([...events, ...following].map(({ source }) => source)).size
  const words = { clock, saysWhose: several, saysSource: several || sources > 1 }
  return [
    ...silences.map((gap) => gapLine(gap, 'since', words)),
    ...shown.flatMap(({ day, events: ofDay }, index) => [
      ...gaps
        .filter(({ lastDay }) => lastDay >= day && (index === 0 || lastDay < (shown[index - 1]?.day ?? '')))
        .map((gap) => gapLine(gap, 'between', words)),
      html`<section class="day" aria-labelledby="day-${day}">
<h2 id="day-${day}">${nameOfDay(day, clock)}</h2>
${dayEvents({ events: ofDay, clock, filter, saysWhose: several })}
</section>`,
    ]),
    ...gaps.filter(({ lastDay }) => lastDay < oldest).map((gap) => gapLine(gap, 'between', words)),
  ]
}

type GapWords = { clock: ReaderClock; saysWhose: boolean; saysSource: boolean }

/** "Nothing was sent between 3 and 5 May". */
function gapLine(gap: Gap, kind: 'between' | 'since', { clock, saysWhose, saysSource }: GapWords): Html {
  const { firstDay, lastDay, lovedOneName, source } = gap
  const who = saysSource && html` by <bdi>${source}</bdi>`
  const whom = saysWhose && html` about <bdi>${lovedOneName}</bdi>`
  const when =
    kind === 'since' ? `since ${nameOfDay(shiftDay(firstDay, -1), clock)}` : betweenDays(firstDay, lastDay, clock)
  return html`<p class="gap">Nothing ${kind === 'since' ? 'has been' : 'was'} sent${who}${whom} ${when}.</p>`
}

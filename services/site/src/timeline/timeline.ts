import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import type { Context } from '../context.ts'
import { type LinkedAgency, readAgencies } from '../shell/agencies.ts'
import { type Html, html } from '../shell/html.ts'
import { betweenDays, nameOfDay } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { type Glance, glanceColumn, readGlance } from './at-a-glance.ts'
import { dayEvents, groupByDay } from './day.ts'
import { emptyTimeline } from './empty.ts'
import type { TimelineEvent } from './event.ts'
import { decodeCursors, encodeCursors, mergePages, readEventPages, startCursors } from './event-pages.ts'
import { type Filter, filterForm, readFilter } from './filter.ts'
import { timelineFrame, timelinePath } from './frame.ts'
import { findGaps, findOpenGaps, type Gap } from './gaps.ts'

/** Less than one read per loved one, so that gaps beyond the page's end are known. */
const EVENTS_PER_PAGE = 40

export function showTimeline(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const filter = readFilter(visit.query('type'), visit.query('period'))
    const cursors = decodeCursors(visit.query('page'))
    const lovedOnes = lovedOne ? [lovedOne] : workspace.lovedOnes
    const [pages, glance] = await Promise.all([
      readEventPages(ctx, visit, workspace, { starts: startCursors(cursors, lovedOnes), filter }),
      cursors === undefined && !filter.type ? readGlance(ctx, visit, workspace, lovedOnes) : undefined,
    ])
    const { events, following, next } = mergePages(pages, EVENTS_PER_PAGE)
    const page = timelinePage({
      workspace,
      clock: visit.clock,
      lovedOne,
      filter,
      glance,
      events,
      following,
      isFirstPage: cursors === undefined,
      nextCursor: encodeCursors(next),
      agencies: events.length === 0 ? await readAgencies(ctx, visit, workspace) : [],
    })
    return { page }
  }
}

type TimelineData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  filter: Filter
  /** On the first page, unless only some kinds of events are wanted. */
  glance: Glance | undefined
  events: TimelineEvent[]
  /** Already read for the next page. */
  following: TimelineEvent[]
  isFirstPage: boolean
  /** Empty on the last page. */
  nextCursor: string
  agencies: LinkedAgency[] | undefined
}

function timelinePage(data: TimelineData): Page {
  const { workspace, clock, lovedOne, filter, glance, events, isFirstPage, nextCursor } = data
  const path = timelinePath(lovedOne?.id ?? '', 'days')
  const isFiltered = filter.type !== undefined || filter.period !== undefined
  const isEmpty = events.length === 0 && isFirstPage
  return timelineFrame({
    workspace,
    lovedOne,
    view: 'days',
    filter,
    beside: glance && !isEmpty ? glanceColumn(glance, clock, { lovedOne, several: isAboutSeveral(data) }) : undefined,
    main: html`${(isFiltered || !isEmpty) && filterForm({ action: path, filter, hasTypes: true })}
${isEmpty ? emptyTimeline({ ...data, isFiltered, path }) : days(data)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(path, filter),
  nextHref: nextCursor === '' ? undefined : withQuery(path, { ...filter, page: nextCursor }),
  words: { first: 'Newest', next: 'Older' },
})}`,
  })
}

/** Days with events, and the gaps between them. With a type filter, gaps are unknown. */
function days({ clock, workspace, filter, lovedOne, events, following, isFirstPage }: TimelineData): Html[] {
  const shown = groupByDay(events, clock)
  const oldest = shown.at(-1)?.day ?? ''
  const gaps = filter.type ? [] : findGaps([...events, ...following], clock).filter(({ lastDay }) => lastDay >= oldest)
  const openGaps = filter.type || !isFirstPage ? [] : findOpenGaps(events, clock)
  const several = isAboutSeveral({ workspace, lovedOne })
  const sources = new Set([...events, ...following].map(({ source }) => source)).size
  const words = { clock, showsLovedOne: several, showsSource: several || sources > 1 }
  return [
    ...openGaps.map((gap) => gapLine(gap, 'since', words)),
    ...shown.flatMap(({ day, entries }, index) => [
      ...gaps
        .filter(({ lastDay }) => lastDay >= day && (index === 0 || lastDay < (shown[index - 1]?.day ?? '')))
        .map((gap) => gapLine(gap, 'between', words)),
      html`<section class="day" aria-labelledby="day-${day}">
<h2 id="day-${day}">${nameOfDay(day, clock)}</h2>
${dayEvents({ entries, clock, filter, showsLovedOne: several, workspace })}
</section>`,
    ]),
    ...gaps.filter(({ lastDay }) => lastDay < oldest).map((gap) => gapLine(gap, 'between', words)),
  ]
}

function isAboutSeveral({ workspace, lovedOne }: Pick<TimelineData, 'workspace' | 'lovedOne'>): boolean {
  return lovedOne === undefined && workspace.lovedOnes.length > 1
}

type GapWords = { clock: ReaderClock; showsLovedOne: boolean; showsSource: boolean }

function gapLine(gap: Gap, kind: 'between' | 'since', { clock, showsLovedOne, showsSource }: GapWords): Html {
  const { firstDay, lastDay, lovedOneName, source } = gap
  const who = showsSource && html` by <bdi>${source}</bdi>`
  const whom = showsLovedOne && html` about <bdi>${lovedOneName}</bdi>`
  const when =
    kind === 'since'
      ? `since ${nameOfDay(shiftDay(firstDay, -1), clock).replace(/^(Today|Yesterday)$/, (name) => name.toLowerCase())}`
      : betweenDays(firstDay, lastDay, clock)
  return html`<p class="gap">Nothing ${kind === 'since' ? 'has been' : 'was'} sent${who}${whom} ${when}.</p>`
}

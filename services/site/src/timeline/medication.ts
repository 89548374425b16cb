import type { Context } from '../context.ts'
import { type LinkedAgency, readAgencies } from '../shell/agencies.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, nameOfDay, timeOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { initialsBadge, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { latenessOf } from './day.ts'
import { emptyTimeline } from './empty.ts'
import type { TimelineEvent } from './event.ts'
import { decodeCursors, encodeCursors, mergePages, readEventPages, startCursors } from './event-pages.ts'
import { type Filter, filterForm, readFilter } from './filter.ts'
import { timelineFrame, timelinePath } from './frame.ts'
import { medicationToday } from './medication-today.ts'
import { medicationTable, medicationWeek } from './medication-week.ts'
import { doseOf } from './sentence.ts'

const EVENTS_PER_PAGE = 40

/** Shows medication as agencies report it, newest first. Nothing is checked, added up or advised. */
export function showMedication(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const filter = readFilter('medication', visit.query('period'))
    const cursors = decodeCursors(visit.query('page'))
    const starts = startCursors(cursors, lovedOne ? [lovedOne] : workspace.lovedOnes)
    const pages = await readEventPages(ctx, visit, workspace, { starts, filter })
    const { events, next } = mergePages(pages, EVENTS_PER_PAGE)
    const page = medicationPage({
      workspace,
      clock: visit.clock,
      lovedOne,
      period: filter.period,
      events,
      isFirstPage: cursors === undefined,
      nextCursor: encodeCursors(next),
      agencies: events.length === 0 ? await readAgencies(ctx, visit, workspace) : [],
    })
    return { page }
  }
}

type MedicationData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  period: Filter['period']
  events: TimelineEvent[]
  isFirstPage: boolean
  /** Empty on the last page. */
  nextCursor: string
  agencies: LinkedAgency[] | undefined
}

function medicationPage(data: MedicationData): Page {
  const { workspace, lovedOne, period, events, isFirstPage, nextCursor } = data
  const path = timelinePath(lovedOne?.id ?? '', 'medication')
  const isEmpty = events.length === 0 && isFirstPage
  const isFiltered = period !== undefined
  return timelineFrame({
    workspace,
    lovedOne,
    view: 'medication',
    filter: { period },
    main: html`${(isFiltered || !isEmpty) && filterForm({ action: path, filter: { period }, hasTypes: false })}
${isFirstPage && !isFiltered && html`${todayOf(data)}${weekOf(data)}`}
${isEmpty ? emptyTimeline({ ...data, isFiltered, path, what: 'medication' }) : days(data)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(path, { period }),
  nextHref: nextCursor === '' ? undefined : withQuery(path, { period, page: nextCursor }),
  words: { first: 'Newest', next: 'Older' },
})}`,
  })
}

/** Also when nothing ever came, if somebody would send it. */
function todayOf({ workspace, lovedOne, events, nextCursor, agencies, clock }: MedicationData): Html | undefined {
  const lovedOnes = lovedOne ? [lovedOne] : workspace.lovedOnes
  const isShared = (one: LovedOne) => agencies?.some((agency) => agency.isSharing && agency.lovedOne.id === one.id)
  if (events.length === 0 && !lovedOnes.some(isShared)) return undefined
  return medicationToday(events, lovedOnes, nextCursor !== '', clock)
}

/** Of one person: two people may take the same medicine. */
function weekOf({ workspace, lovedOne, events, nextCursor, clock }: MedicationData): Html | undefined {
  if (lovedOne === undefined && workspace.lovedOnes.length > 1) return undefined
  return medicationTable(medicationWeek(events, nextCursor !== '', clock), clock)
}

function days({ workspace, clock, lovedOne, events }: MedicationData): Html {
  const showsLovedOne = lovedOne === undefined && workspace.lovedOnes.length > 1
  const byDay = Map.groupBy(events, ({ occurredAt }) => calendarDay(occurredAt, clock))
  return html`<p class="hint">This is what care agencies send. We don’t check it, and it may not be complete.</p>
<div class="by-day">${[...byDay].map(
    ([day, ones]) => html`<section class="day" aria-labelledby="day-${day}">
<h2 id="day-${day}">${nameOfDay(day, clock)}</h2>
<ul class="events">${ones.map((event) => row(event, clock, showsLovedOne))}</ul>
</section>\n`,
  )}</div>`
}

/** The giver is only "a caregiver": agencies' ids of their staff are not stored. */
function row(event: TimelineEvent, clock: ReaderClock, showsLovedOne: boolean): Html {
  const { occurredAt, lovedOne, source } = event
  const late = latenessOf(event)
  const planned = plannedWords(event, clock)
  return html`<li><span class="time">${timeOf(occurredAt, clock)}</span>
<div>${showsLovedOne && initialsBadge(lovedOne.name, lovedOne.position)}<p>${whatOf(event)}${showsLovedOne && html`<span class="unseen"> (${lovedOne.name})</span>`}</p>
<p class="hint">${planned ? html`${planned}reported` : 'Reported'} by <bdi>${source}</bdi>${late && html` · <span class="late">sent ${late} later</span>`}</p></div></li>`
}

function whatOf({ details }: TimelineEvent): Html {
  if (details?.kind !== 'med_administered') return html`Medication given, without details`
  const dose = doseOf(details)
  return html`<strong><bdi>${details.name || 'Medication without a name'}</bdi></strong>${dose !== '' && html` <bdi>${dose}</bdi>`}`
}

/** The time alone if it was planned for the same day. */
function plannedWords({ details, occurredAt }: TimelineEvent, clock: ReaderClock): Html | undefined {
  const planned = details?.kind === 'med_administered' ? details.scheduledAt : undefined
  if (planned === undefined) return undefined
  const isSameDay = calendarDay(planned, clock) === calendarDay(occurredAt, clock)
  return html`Planned for ${isSameDay ? timeOf(planned, clock) : whenOf(planned, clock)} · `
}

import type { Context } from '../context.ts'
import { type LinkedAgency, readAgencies } from '../shell/agencies.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Visit } from '../shell/visit.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { drawChart, lineChart } from './chart.ts'
import { emptyTimeline } from './empty.ts'
import type { TimelineEvent } from './event.ts'
import { readEventPages, startCursors } from './event-pages.ts'
import { type Filter, filterForm, readFilter } from './filter.ts'
import { timelineFrame, timelinePath } from './frame.ts'
import { type Series, toSeries } from './series.ts'

/** Pages read per loved one: 400 readings. */
const MAX_PAGES = 8

export function showReadings(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const filter = readFilter('', visit.query('period'))
    const lovedOnes = lovedOne ? [lovedOne] : workspace.lovedOnes
    const { events, isTruncated } = await readVitals(ctx, visit, workspace, lovedOnes, filter)
    const agencies = events.length === 0 ? await readAgencies(ctx, visit, workspace) : []
    const series = toSeries(events)
    return { page: readingsPage({ workspace, clock: visit.clock, lovedOne, filter, series, isTruncated, agencies }) }
  }
}

type ReadingsData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  filter: Filter
  series: Series[]
  isTruncated: boolean
  agencies: LinkedAgency[] | undefined
}

function readingsPage(data: ReadingsData): Page {
  const { workspace, clock, lovedOne, filter, series, isTruncated } = data
  const path = timelinePath(lovedOne?.id ?? '', 'readings')
  const isFiltered = filter.period !== undefined
  const several = lovedOne === undefined && workspace.lovedOnes.length > 1
  return timelineFrame({
    workspace,
    lovedOne,
    view: 'readings',
    filter,
    main: html`${(isFiltered || series.length > 0) && filterForm({ action: path, filter, hasTypes: false })}
${series.length === 0 && emptyTimeline({ ...data, isFiltered, path, what: 'readings' })}
${isTruncated && html`<p class="hint">These are only the newest readings. Choose a shorter period to see all of it.</p>`}
<div class="all-series">${series.map((one) => seriesSection(one, clock, several))}</div>`,
  })
}

function seriesSection(series: Series, clock: ReaderClock, showsLovedOne: boolean): Html {
  const { id, name, lovedOne, readings } = series
  const chart = drawChart(readings)
  const newest = readings.at(-1)
  return html`<section class="series" aria-labelledby="${id}">
<h2 id="${id}">${name}${showsLovedOne && html`, <bdi>${lovedOne.name}</bdi>`}</h2>
${newest && html`<p class="newest"><strong>${newest.words}</strong> <span class="hint">${whenOf(newest.at, clock)}</span></p>`}
${chart && lineChart({ chart, series, clock })}
${readings.length > 1 && table(series, clock)}
</section>`
}

/** The chart's data, for screen readers. */
function table({ name, readings }: Series, clock: ReaderClock): Html {
  return html`<details class="fold"><summary>${readings.length} readings as a table<span class="unseen">: ${name}</span></summary>
<table><thead><tr><th scope="col">When</th><th scope="col">${name}</th><th scope="col">Sent by</th></tr></thead>
<tbody>${readings
    .toReversed()
    .map(
      ({ at, words, source }) =>
        html`<tr><td>${whenOf(at, clock)}</td><td>${words}</td><td><bdi>${source}</bdi></td></tr>`,
    )}</tbody></table></details>`
}

async function readVitals(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  lovedOnes: LovedOne[],
  { period }: Filter,
): Promise<{ events: TimelineEvent[]; isTruncated: boolean }> {
  const filter: Filter = { type: 'readings', period }
  const events: TimelineEvent[] = []
  let starts = startCursors(undefined, lovedOnes)
  for (let page = 0; page < MAX_PAGES && starts.length > 0; page += 1) {
    const pages = await readEventPages(ctx, visit, workspace, { starts, filter })
    events.push(...pages.flatMap((eventPage) => eventPage.events))
    starts = starts.flatMap(({ lovedOne, cursor }, index) => {
      const { nextPageToken = '' } = pages[index] ?? {}
      return nextPageToken === '' ? [] : [{ lovedOne, cursor: { ...cursor, pageToken: nextPageToken } }]
    })
  }
  const byLovedOne = events.toSorted((a, b) => a.lovedOne.position - b.lovedOne.position)
  return { events: byLovedOne, isTruncated: starts.length > 0 }
}

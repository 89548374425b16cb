import { type LinkedAgency, readAgencies } from '../care-circle/read-agencies.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Visit } from '../shell/visit.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { drawChart, lineChart } from './chart.ts'
import { emptyTimeline } from './empty.ts'
import type { TimelineEvent } from './event.ts'
import { type Filter, filterForm, readFilter } from './filter.ts'
import { timelineFrame, timelinePath } from './frame.ts'
import { readEventPage } from './read-events.ts'
import { type Series, toSeries } from './series.ts'

/** Shows what was measured of a loved one, or of everyone, over time. */
export function showMeasurements(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.param('lovedOneId')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const filter = readFilter('', visit.query('period'))
    const lovedOnes = lovedOne ? [lovedOne] : workspace.lovedOnes
    const { events, isCut } = await readMeasurements(ctx, visit, workspace, lovedOnes, filter)
    const agencies = events.length === 0 ? await readAgencies(ctx, visit, workspace) : []
    const series = toSeries(events)
    return { page: measurementsPage({ workspace, clock: visit.clock, lovedOne, filter, series, isCut, agencies }) }
  }
}

type MeasurementsData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  filter: Filter
  series: Series[]
  /** Whether there are older ones than fit. */
  isCut: boolean
  agencies: LinkedAgency[] | undefined
}

/** What was measured, each kind over time: a line and its table. */
function measurementsPage(data: MeasurementsData): Page {
  const { workspace, clock, lovedOne, filter, series, isCut } = data
  const path = timelinePath(lovedOne?.id ?? '', 'measurements')
  const isFiltered = filter.period !== undefined
  const several = lovedOne === undefined && workspace.lovedOnes.length > 1
  return timelineFrame({
    workspace,
    lovedOne,
    view: 'measurements',
    filter,
    main: html`${(isFiltered || series.length > 0) && filterForm({ action: path, filter, hasTypes: false })}
${series.length === 0 && emptyTimeline({ ...data, isFiltered, path })}
${isCut && html`<p class="hint">These are the newest. Choose a shorter time to be sure to see all of it.</p>`}
${series.map((one) => seriesSection(one, clock, several))}`,
  })
}

function seriesSection(series: Series, clock: ReaderClock, saysWhose: boolean): Html {
  const { id, name, lovedOne, readings } = series
  const chart = drawChart(readings)
  const newest = readings.at(-1)
  return html`<section class="series" aria-labelledby="${id}">
<h2 id="${id}">${name}${saysWhose && html`, <bdi>${lovedOne.name}</bdi>`}</h2>
${newest && html`<p class="newest"><strong>${newest.words}</strong> <span class="hint">${whenOf(newest.at, clock)}</span></p>`}
${chart && lineChart({ chart, series, clock })}
${readings.length > 1 && table(series, clock)}
</section>`
}

/** The same as the line, to be read out. */
function table({ name, readings }: Series, clock: ReaderClock): Html {
  return html`<details class="fold"><summary>${readings.length} measurements as a table<span class="unseen">: ${name}</span></summary>
<table><thead><tr><th scope="col">When</th><th scope="col">${name}</th><th scope="col">Sent by</th></tr></thead>
<tbody>${readings
    .toReversed()
    .map(
      ({ at, words, source }) =>
        html`<tr><td>${whenOf(at, clock)}</td><td>${words}</td><td><bdi>${source}</bdi></td></tr>`,
    )}</tbody></table></details>`
}

/** The most pages that are read of one loved one: 400 measurements, of which a line shows no more anyway. */
const MOST_PAGES = 8

/** The newest measurements of some loved ones, and whether there are older ones that were not read. */
async function readMeasurements(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  lovedOnes: LovedOne[],
  { period }: Filter,
): Promise<{ events: TimelineEvent[]; isCut: boolean }> {
  const filter: Filter = { type: 'measurements', period }
  const all = await Promise.all(lovedOnes.map((lovedOne) => readAll(ctx, visit, workspace, lovedOne, filter)))
  return { events: all.flatMap(({ events }) => events), isCut: all.some(({ isCut }) => isCut) }
}

async function readAll(ctx: Context, visit: Visit, workspace: Workspace, lovedOne: LovedOne, filter: Filter) {
  const events: TimelineEvent[] = []
  let pageToken = ''
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const place = { lovedOneId: lovedOne.id, pageToken, seen: 0 }
    const read = await readEventPage(ctx, visit, workspace, { lovedOne, place, filter })
    events.push(...read.events)
    pageToken = read.nextPageToken
    if (pageToken === '') break
  }
  return { events, isCut: pageToken !== '' }
}

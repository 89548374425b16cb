import type { LinkedAgency } from '../../care-circle/read-agencies.ts'
import type { Household, LovedOne } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import type { Page } from '../../layout/page.ts'
import { whenOf } from '../../parts/moment.ts'
import { drawChart } from '../../timeline/chart.ts'
import type { Filter } from '../../timeline/filter.ts'
import type { Series } from '../../timeline/series.ts'
import { lineChart } from './chart.ts'
import { emptyTimeline } from './empty.ts'
import { filterForm } from './filter-form.ts'
import { timelineFrame, timelinePath } from './frame.ts'

export type MeasurementsData = {
  household: Household
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  filter: Filter
  series: Series[]
  /** Whether there are older ones than fit. */
  isCut: boolean
  agencies: LinkedAgency[] | undefined
}

/** What was measured, each kind over time: a line and its table. */
export function measurementsPage(data: MeasurementsData): Page {
  const { household, clock, lovedOne, filter, series, isCut } = data
  const path = timelinePath(lovedOne?.id ?? '', 'measurements')
  const isFiltered = filter.period !== undefined
  const several = lovedOne === undefined && household.lovedOnes.length > 1
  return timelineFrame({
    household,
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

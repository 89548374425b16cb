import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { minutesInWords, timeOf, whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Visit as PageVisit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { drawChart } from './chart.ts'
import { latenessOf } from './day.ts'
import type { TimelineEvent } from './event.ts'
import { readEventPages, startCursors } from './event-pages.ts'
import { timelinePath } from './frame.ts'
import { sentenceOf } from './sentence.ts'
import { type Series, toSeries } from './series.ts'
import { groupVisits, isVisit, type Visit } from './visits.ts'

const MAX_SERIES = 6
const MAX_ROWS = 6
/** Enough for a line that shows where a reading is going. */
const MAX_POINTS = 14
/** More people would make the column longer than the page. */
const MAX_LOVED_ONES = 4

export type Glance = { series: Series[]; visits: Visit[]; medication: TimelineEvent[]; late: TimelineEvent[] }

/** The last week and the newest readings, for the column beside the timeline. */
export async function readGlance(
  ctx: Context,
  visit: PageVisit,
  workspace: Workspace,
  lovedOnes: LovedOne[],
): Promise<Glance> {
  const starts = startCursors(undefined, lovedOnes.slice(0, MAX_LOVED_ONES))
  const [weeks, readings] = await Promise.all([
    readEventPages(ctx, visit, workspace, { starts, filter: { period: 'week' } }),
    readEventPages(ctx, visit, workspace, { starts, filter: { type: 'readings' } }),
  ])
  const eventsOf = (pages: typeof weeks) => pages.flatMap(({ events }) => events).toSorted(newestFirst)
  return glanceOf(eventsOf(weeks), eventsOf(readings), visit.clock.now)
}

export function glanceOf(week: TimelineEvent[], readings: TimelineEvent[], now: Date): Glance {
  const dayAgo = new Date(now.getTime() - DAY_MS)
  return {
    series: toSeries(readings).slice(0, MAX_SERIES),
    visits: groupVisits(week).filter(isVisit),
    medication: week.filter(({ details, occurredAt }) => details?.kind === 'med_administered' && occurredAt > dayAgo),
    late: week.filter((event) => latenessOf(event) !== undefined),
  }
}

function newestFirst(a: TimelineEvent, b: TimelineEvent): number {
  return b.occurredAt.getTime() - a.occurredAt.getTime()
}

type About = { lovedOne: LovedOne | undefined; several: boolean }

export function glanceColumn(
  { series, visits, medication, late }: Glance,
  clock: ReaderClock,
  { lovedOne: about, several }: About,
): Html {
  const whose = ({ lovedOne }: { lovedOne: LovedOne }) => several && html`<bdi>${lovedOne.name}</bdi>, `
  return html`<section class="glance" aria-label="At a glance">
<section><h2>Latest readings</h2>
${series.length === 0 ? html`<p class="hint">None yet</p>` : html`<ul>${series.map((one) => html`<li class="reading">${latestReading(one, clock, whose(one))}</li>`)}</ul>`}
</section>
<section><h2>Visits, last 7 days</h2>
<p>${visitTotal(visits)}</p>
${rows(visits, (visit) => html`${whose(visit.ended)}${whenOf(visit.startedAt, clock)} <span class="hint">${minutesInWords(visit.minutes)}</span>`)}
</section>
<section><h2>Medication, last 24 hours</h2>
${medication.length === 0 && html`<p class="hint">None recorded</p>`}
${rows(medication, (event) => html`${whose(event)}${sentenceOf(event)} <span class="hint">${timeOf(event.occurredAt, clock)}</span>`)}
<p><a href="${timelinePath(about?.id ?? '', 'medication')}">All medication</a></p>
</section>
${
  late.length > 0 &&
  html`<section><h2>Reported late, last 7 days</h2>
${rows(late, (event) => html`${whose(event)}${sentenceOf(event)}, ${whenOf(event.occurredAt, clock)} <span class="late">sent ${latenessOf(event)} later</span>`)}
</section>`
}
</section>`
}

function rows<Item>(items: Item[], toWords: (item: Item) => Html): Html | undefined {
  if (items.length === 0) return undefined
  const more = items.length - MAX_ROWS
  return html`<ul>${items.slice(0, MAX_ROWS).map((item) => html`<li>${toWords(item)}</li>`)}</ul>${more > 0 && html`<p class="hint">and ${more} more</p>`}`
}

export function visitTotal(visits: Pick<Visit, 'minutes'>[]): string {
  if (visits.length === 0) return 'No visits were sent.'
  const minutes = visits.reduce((sum, visit) => sum + visit.minutes, 0)
  return `${visits.length === 1 ? '1 visit' : `${visits.length} visits`}, ${minutesInWords(minutes)} in all`
}

function latestReading({ name, readings }: Series, clock: ReaderClock, whose: Html | false): Html {
  const shown = readings.slice(-MAX_POINTS)
  const [oldest, newest] = [shown[0], shown.at(-1)]
  const trend =
    oldest && newest && shown.length > 1 && `From ${oldest.words} to ${newest.words} in ${shown.length} readings.`
  return html`<p>${whose}${name} <strong>${newest?.words}</strong> <span class="hint">${newest && whenOf(newest.at, clock)}</span></p>
${trend && html`${sparkline(shown)}<span class="unseen">${trend}</span>`}`
}

/** A line without a scale. Its text says from what to what. */
function sparkline(readings: Series['readings']): Html | undefined {
  const chart = drawChart(readings)
  if (chart === undefined) return undefined
  return html`<svg class="spark" viewBox="0 0 100 100" preserveAspectRatio="none" width="120" height="32" aria-hidden="true">${chart.lines.map(
    ({ points }, index) =>
      html`<polyline class="line line-${index + 1}" points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}"/>`,
  )}</svg>`
}

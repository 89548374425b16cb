import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { shortDay } from '../../parts/moment.ts'
import type { Chart, Line } from '../../timeline/chart.ts'
import type { Series } from '../../timeline/series.ts'

export type LineChartData = { chart: Chart; series: Series; clock: ReaderClock }

/** Of more measurements, dots would touch. */
const MOST_DOTS = 60

/** The heights in px: of the whole, of the plot, and of what is above it. */
const [HEIGHT, PLOT, TOP] = [190, 148, 12]

/**
 * Draws a chart. The lines lie in a drawing that is stretched to the width there is; dots and words stand beside them in
 * percent, so that they keep their size on every screen.
 */
export function lineChart({ chart, series, clock }: LineChartData): Html {
  const { lines, marks, moments } = chart
  const id = `${series.id}-chart`
  return html`<figure class="chart"><div class="sheet">
<svg width="44" height="${HEIGHT}" aria-hidden="true">${marks.map(
    ({ value, y }) => html`<text x="36" y="${TOP + (y / 100) * PLOT}" dy="0.35em" text-anchor="end">${value}</text>`,
  )}</svg>
<svg class="plot" role="img" aria-labelledby="${id}" height="${HEIGHT}"><title id="${id}">${inWords(series, clock)}</title>
<svg x="0" y="${TOP}" width="100%" height="${PLOT}" overflow="visible">
${marks.map(({ y }) => html`<line class="grid" x1="0" x2="100%" y1="${y}%" y2="${y}%"/>`)}
${lines.map((line, index) => html`${stretched(line, index)}${dots(line, index, clock)}`)}
${moments.map(
  ({ at, x }, index) =>
    html`<text x="${x}%" y="100%" dy="1.9em" text-anchor="${anchorOf(index, moments.length)}">${shortDay(at, clock)}</text>`,
)}
</svg></svg></div>
${lines.length > 1 && html`<figcaption><span class="key key-1">upper value</span><span class="key key-2">lower value</span></figcaption>`}</figure>`
}

function stretched({ points }: Line, index: number): Html {
  const places = points.map(({ x, y }) => `${x},${y}`).join(' ')
  return html`<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible"><polyline class="line line-${index + 1}" points="${places}"/></svg>`
}

function dots({ points }: Line, index: number, clock: ReaderClock): Html[] {
  if (points.length > MOST_DOTS) return []
  return points.map(
    ({ x, y, reading }) =>
      html`<circle class="dot dot-${index + 1}" cx="${x}%" cy="${y}%" r="3.5"><title>${reading.words}, ${shortDay(reading.at, clock)}</title></circle>`,
  )
}

function anchorOf(index: number, count: number): string {
  if (count === 1 || (index > 0 && index < count - 1)) return 'middle'
  return index === 0 ? 'start' : 'end'
}

/** What one sees at a glance, for those who hear it. */
function inWords({ name, readings }: Series, clock: ReaderClock): string {
  const drawn = readings.filter(({ value }) => value !== undefined)
  const sorted = drawn.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))
  const [first, last] = [drawn[0], drawn.at(-1)]
  const [lowest, highest] = [sorted[0], sorted.at(-1)]
  if (!first || !last || !lowest || !highest) return name
  return `${name}: ${drawn.length} measurements from ${shortDay(first.at, clock)} to ${shortDay(last.at, clock)}, between ${lowest.words} and ${highest.words}, last ${last.words}. The table below has them all.`
}

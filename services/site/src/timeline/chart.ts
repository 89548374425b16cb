import { type Html, html } from '../shell/html.ts'
import { shortDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Reading, Series } from './series.ts'

type LineChartData = { chart: Chart; series: Series; clock: ReaderClock }

const TARGET_STEPS = 4
/** More dots would overlap. */
const MAX_DOTS = 60

/** Heights in px: total, plot, and margin above. */
const [HEIGHT, PLOT, TOP] = [190, 148, 12]

/** Renders a chart. The lines stretch to the full width; dots and labels use percent positions to keep their size. */
export function lineChart({ chart, series, clock }: LineChartData): Html {
  const { lines, marks, moments } = chart
  const id = `${series.id}-chart`
  return html`<figure class="chart"><div class="sheet">
<svg width="44" height="${HEIGHT}" aria-hidden="true">${marks.map(
    ({ value, y }) => html`<text x="36" y="${TOP + (y / 100) * PLOT}" dy="0.35em" text-anchor="end">${value}</text>`,
  )}</svg>
<svg class="plot" role="img" aria-labelledby="${id}" height="${HEIGHT}"><title id="${id}">${describeSeries(series, clock)}</title>
<svg x="0" y="${TOP}" width="100%" height="${PLOT}" overflow="visible">
${marks.map(({ y }) => html`<line class="grid" x1="0" x2="100%" y1="${y}%" y2="${y}%"/>`)}
${lines.map((line, index) => html`${polyline(line, index)}${dots(line, index, clock)}`)}
${moments.map(
  ({ at, x }, index) =>
    html`<text x="${x}%" y="100%" dy="1.9em" text-anchor="${anchorOf(index, moments.length)}">${shortDay(at, clock)}</text>`,
)}
</svg></svg></div>
${lines.length > 1 && html`<figcaption><span class="key key-1">upper value</span><span class="key key-2">lower value</span></figcaption>`}</figure>`
}

function polyline({ points }: Line, index: number): Html {
  const path = points.map(({ x, y }) => `${x},${y}`).join(' ')
  return html`<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible"><polyline class="line line-${index + 1}" points="${path}"/></svg>`
}

function dots({ points }: Line, index: number, clock: ReaderClock): Html[] {
  if (points.length > MAX_DOTS) return []
  return points.map(
    ({ x, y, reading }) =>
      html`<circle class="dot dot-${index + 1}" cx="${x}%" cy="${y}%" r="3.5"><title>${reading.words}, ${shortDay(reading.at, clock)}</title></circle>`,
  )
}

function anchorOf(index: number, count: number): string {
  if (count === 1 || (index > 0 && index < count - 1)) return 'middle'
  return index === 0 ? 'start' : 'end'
}

function describeSeries({ name, readings }: Series, clock: ReaderClock): string {
  const drawn = readings.filter(({ value }) => value !== undefined)
  const sorted = drawn.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))
  const [first, last] = [drawn[0], drawn.at(-1)]
  const [lowest, highest] = [sorted[0], sorted.at(-1)]
  if (!first || !last || !lowest || !highest) return name
  return `${name}: ${drawn.length} readings from ${shortDay(first.at, clock)} to ${shortDay(last.at, clock)}, between ${lowest.words} and ${highest.words}, last ${last.words}. The table below lists them all.`
}

/** In percent of the plot, from the top left. */
type Point = { x: number; y: number; reading: Reading }

type Line = { points: Point[] }

type Chart = {
  /** The upper value and, if there is one, the lower value. */
  lines: Line[]
  marks: { value: number; y: number }[]
  moments: { at: Date; x: number }[]
}

/** Lays out readings, oldest first, on a scale of round steps. Undefined for fewer than two values. */
export function drawChart(readings: Reading[]): Chart | undefined {
  const drawn = readings.filter(({ value }) => value !== undefined)
  const [first, last] = [drawn[0], drawn.at(-1)]
  if (first === undefined || last === undefined || drawn.length < 2) return undefined
  const values = drawn.flatMap(({ value, secondValue }) => [value, secondValue].filter((one) => one !== undefined))
  const { steps, toY } = verticalScale(values)
  const toX = horizontalScale(first.at, last.at)
  const lineOf = (pick: (reading: Reading) => number | undefined): Line => ({
    points: drawn.flatMap((reading) => {
      const value = pick(reading)
      return value === undefined ? [] : [{ x: toX(reading.at), y: toY(value), reading }]
    }),
  })
  const lines = [lineOf(({ value }) => value), lineOf(({ secondValue }) => secondValue)]
  return {
    lines: lines.filter(({ points }) => points.length > 0),
    marks: steps.map((value) => ({ value, y: toY(value) })),
    moments: momentsOf(first.at, last.at).map((at) => ({ at, x: toX(at) })),
  }
}

function verticalScale(values: number[]) {
  const steps = roundSteps(Math.min(...values), Math.max(...values))
  const [low = 0, high = 1] = [steps[0], steps.at(-1)]
  return { steps, toY: (value: number) => round(100 - ((value - low) / (high - low)) * 100) }
}

function horizontalScale(first: Date, last: Date) {
  const span = last.getTime() - first.getTime()
  return (at: Date) => (span === 0 ? 50 : round(((at.getTime() - first.getTime()) / span) * 100))
}

/** About four steps of 1, 2, or 5 times a power of ten that cover both values. */
export function roundSteps(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) / 10 || 1
  const rough = span / TARGET_STEPS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)]
  const count = Math.max(1, to - from)
  return Array.from({ length: count + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)))
}

/** Start, middle, and end: more would not fit on a phone. */
function momentsOf(first: Date, last: Date): Date[] {
  const middle = new Date((first.getTime() + last.getTime()) / 2)
  return first.getTime() === last.getTime() ? [first] : [first, middle, last]
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100
}

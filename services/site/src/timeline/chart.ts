import type { Reading } from './series.ts'

/** A place on a chart in percent of its width and height, from the upper left corner. */
export type Point = { x: number; y: number; reading: Reading }

/** One line of a chart. */
export type Line = { points: Point[] }

export type Chart = {
  /** The upper value's line and, where there are two values, the lower one's. */
  lines: Line[]
  /** The values that are written at the side, with their height. */
  marks: { value: number; y: number }[]
  /** The moments that are written below, with their place. */
  moments: { at: Date; x: number }[]
}

const MARKS = 4

/**
 * Where everything stands on the chart of some readings, oldest first. The scale takes in what was measured and no more, in
 * round steps; it does not begin at zero, as nobody's pulse does.
 * @returns undefined for fewer than two values, of which there is nothing to draw
 */
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

/**
 * About four round numbers from at or below the lowest value to at or above the highest: steps of 1, 2 or 5 times a power of
 * ten, so that nobody has to calculate.
 */
export function roundSteps(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) / 10 || 1
  const rough = span / MARKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)]
  const count = Math.max(1, to - from)
  return Array.from({ length: count + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)))
}

/** Beginning, middle and end: more would not fit on a phone. */
function momentsOf(first: Date, last: Date): Date[] {
  const middle = new Date((first.getTime() + last.getTime()) / 2)
  return first.getTime() === last.getTime() ? [first] : [first, middle, last]
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100
}

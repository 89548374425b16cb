import test from 'ava'
import fc from 'fast-check'
import { drawChart, roundSteps } from './chart.ts'
import { toSeries } from './series.ts'

const rosa = { id: 'lo_rosa', name: 'Rosa', position: 0 }
const vital = (day: number, vitalName: string, value: string, unit: string, secondValue = '') => ({
  id: `evt_${day}`,
  type: 'vital_recorded',
  lovedOne: rosa,
  occurredAt: new Date(Date.UTC(2026, 4, day)),
  receivedAt: new Date(Date.UTC(2026, 4, day)),
  source: 'Sunrise',
  details: { kind: 'vital_recorded' as const, vital: vitalName, value, secondValue, unit },
})

test('readings are grouped by vital sign and unit', (t) => {
  const series = toSeries([
    vital(3, 'weight', '61.5', 'kg'),
    vital(5, 'heart_rate', '70', 'bpm'),
    vital(2, 'weight', '134', 'lb'),
    vital(1, 'weight', '61,2', 'kg'),
    vital(4, 'pulse', '72', 'BPM'),
  ])
  t.deepEqual(
    series.map(({ name, unit, readings }) => [name, unit, readings.map(({ value }) => value)]),
    [
      ['Pulse', 'beats per minute', [72, 70]],
      ['Weight', 'kg', [61.2, 61.5]],
      ['Weight', 'lb', [134]],
    ],
  )
})

test('blood pressure has two lines on one scale', (t) => {
  const [series] = toSeries([
    vital(1, 'blood_pressure', '120', 'mmHg', '80'),
    vital(2, 'blood_pressure', '140', 'mmHg', '90'),
    vital(3, 'blood_pressure', '130', 'mmHg', ''),
  ])
  const chart = drawChart(series?.readings ?? [])
  t.deepEqual(
    chart?.marks.map(({ value, y }) => [value, y]),
    [
      [80, 100],
      [100, 66.67],
      [120, 33.33],
      [140, 0],
    ],
  )
  t.deepEqual(
    chart?.lines.map(({ points }) => points.map(({ x, y }) => [x, y])),
    [
      [
        [0, 33.33],
        [50, 0],
        [100, 16.67],
      ],
      [
        [0, 100],
        [50, 83.33],
      ],
    ],
  )
  t.deepEqual(
    chart?.moments.map(({ at, x }) => [at.toISOString().slice(0, 10), x]),
    [
      ['2026-05-01', 0],
      ['2026-05-02', 50],
      ['2026-05-03', 100],
    ],
  )
})

test('one value makes no chart, and text values are left out', (t) => {
  const readings = (...values: string[]) =>
    toSeries(values.map((value, day) => vital(day + 1, 'pain', value, '')))[0]?.readings ?? []
  t.is(drawChart([]), undefined)
  t.is(drawChart(readings('4')), undefined)
  t.is(drawChart(readings('4', 'strong', 'Infinity', '')), undefined)
  t.is(drawChart(readings('4', 'strong', '5'))?.lines[0]?.points.length, 2)
})

test('round steps always cover all values', (t) => {
  const value = fc.integer({ min: -1e9, max: 1e9 }).map((one) => one / 10_000)
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)]
      const steps = roundSteps(low, high)
      const tolerance = (high - low) * 1e-6 + 1e-9
      t.true((steps[0] ?? 0) <= low + tolerance, `${low} ${high} ${steps}`)
      t.true((steps.at(-1) ?? 0) >= high - tolerance, `${low} ${high} ${steps}`)
      t.true(steps.length >= 2 && steps.length <= 7, `${low} ${high} ${steps}`)
    }),
  )
  t.deepEqual(roundSteps(118, 141), [110, 120, 130, 140, 150])
  t.deepEqual(roundSteps(36.5, 36.9), [36.5, 36.6, 36.7, 36.8, 36.9])
})

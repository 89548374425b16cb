import type { LovedOne } from '../shell/workspace.ts'
import type { TimelineEvent } from './event.ts'
import { readingOf, unitName, vitalName } from './vital.ts'

/** One measurement. */
export type Reading = {
  at: Date
  /** As it was sent: "128/82 mmHg". */
  words: string
  /** The value as a number, and the lower of two, as in blood pressure; undefined for what is no number. */
  value: number | undefined
  secondValue: number | undefined
  source: string
}

/** One kind of measurement of one loved one over time, oldest first. */
export type Series = { id: string; lovedOne: LovedOne; name: string; unit: string; readings: Reading[] }

/** Puts measurements into series by what was measured and in which unit, those with the newest reading first. */
export function toSeries(events: TimelineEvent[]): Series[] {
  const series = new Map<string, Series>()
  const newestFirst = events.toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime())
  for (const { lovedOne, details, occurredAt: at, source } of newestFirst) {
    if (details?.kind !== 'vital_recorded') continue
    const [name, unit] = [vitalName(details.vital), unitName(details.unit)]
    const key = `${lovedOne.id} ${name} ${unit}`
    const known = series.get(key) ?? { id: `series-${series.size + 1}`, lovedOne, name, unit, readings: [] }
    const [value, secondValue] = [toNumber(details.value), toNumber(details.secondValue)]
    known.readings.unshift({ at, words: readingOf(details), value, secondValue, source })
    series.set(key, known)
  }
  return [...series.values()]
}

/** Beyond this it is no measurement of a person. */
const LARGEST = 1_000_000

/** Agencies write "36.6" or "36,6". Four decimals are more than anybody measures. */
function toNumber(text: string): number | undefined {
  const number = Number(text.trim().replace(',', '.'))
  if (text.trim() === '' || !(Math.abs(number) < LARGEST)) return undefined
  return Number(number.toFixed(4))
}

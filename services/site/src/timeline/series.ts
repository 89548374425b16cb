import type { LovedOne } from '../shell/workspace.ts'
import type { TimelineEvent } from './event.ts'
import { readingOf, unitName, vitalName } from './sentence.ts'

/** Larger values are not plausible readings. */
const MAX_VALUE = 1_000_000

export type Reading = {
  at: Date
  /** As sent, such as "128/82 mmHg". */
  words: string
  value: number | undefined
  secondValue: number | undefined
  source: string
}

/** A vital sign of a loved one, oldest first. */
export type Series = { id: string; lovedOne: LovedOne; name: string; unit: string; readings: Reading[] }

/** Groups readings by vital sign and unit, the most recently updated series first. */
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

/** Accepts "36.6" and "36,6"; rounds to four decimals. */
function toNumber(text: string): number | undefined {
  const number = Number(text.trim().replace(',', '.'))
  if (text.trim() === '' || !(Math.abs(number) < MAX_VALUE)) return undefined
  return Number(number.toFixed(4))
}

import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'

/** The day begins at 10:00 UTC in Hawaii, and everywhere else up to 24 hours before that, but for a few islands. */
const LATEST_MS = 10 * HOUR_MS

/**
 * The time on clocks at a UTC time, of which only the time of day is known: Exchange names a day by midnight at a place it does not
 * name.
 * @param at as all times here in milliseconds; the result is written as if in UTC
 * @param clock any time with this time of day, as if in UTC
 */
export function clockAt(at: number, clock: number): number {
  const earliest = at - LATEST_MS
  return earliest + ((((clock - earliest) % DAY_MS) + DAY_MS) % DAY_MS)
}

type Kind = 'moment' | 'day' | 'local'

/** How a mail names an occurrence; if only by a day, when that begins; and of which kind its own times are. */
type Named = { at: Date; day: Date | undefined; kind: Kind }

/** The start of a series that is named, or the name if there is none. */
export function findStart({ at, day, kind }: Named, series: { starts: Date[]; kind: Kind }): Date {
  const { starts } = series
  const within = (from: number) => starts.find((start) => start.getTime() >= from && start.getTime() < from + DAY_MS)
  const exact = starts.find((start) => start.getTime() === at.getTime())
  const ofDay = day && series.kind !== 'day' ? within(day.getTime()) : undefined
  // Midnight in UTC already is a day.
  const isDay = series.kind === 'day' && at.getTime() % DAY_MS === 0
  const isUtc = kind === 'moment' && series.kind !== 'moment' && !isDay
  return exact ?? ofDay ?? (isUtc ? within(at.getTime() - LATEST_MS) : undefined) ?? at
}

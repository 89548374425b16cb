import { fromWallTime } from '../time/time-zone.ts'
import { DAY_MS } from './days.ts'

/** The moment a calendar day such as `2026-05-12` begins on clocks there; undefined for an invalid day. */
export function startOfDay(day: string, { timeZone }: { timeZone: string }): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const asUtc = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(day)) return undefined
  return fromWallTime(asUtc, timeZone)
}

/** Adds days to a calendar day such as `2026-05-12`. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import { fromWallTime } from '@family-inbox/service-kit/time/time-zone'
import type { Occurrence } from '../models/appointment.ts'

/** Whole days have no time to count from: their reminder comes on the evening before. */
const EVENING_BEFORE_MS = 6 * HOUR_MS

export type ReminderKind = 'dayBefore' | 'hoursBefore'
export type Reminder = { kind: ReminderKind; at: Date }

/** When the reminders of an occurrence are due in an IANA time zone; none for a canceled one. */
export function reminderTimes(occurrence: Occurrence, timeZone: string): Reminder[] {
  if (occurrence.canceled) return []
  if (occurrence.kind === 'day') {
    const at = fromWallTime(occurrence.startsAt.getTime() - EVENING_BEFORE_MS, timeZone)
    return [{ kind: 'dayBefore', at }]
  }
  const start = startIn(occurrence, timeZone).getTime()
  return [
    { kind: 'dayBefore', at: new Date(start - DAY_MS) },
    { kind: 'hoursBefore', at: new Date(start - 2 * HOUR_MS) },
  ]
}

/** What has no zone is as clocks there show it. */
export function startIn({ kind, startsAt }: Occurrence, timeZone: string): Date {
  return kind === 'moment' ? startsAt : fromWallTime(startsAt.getTime(), timeZone)
}

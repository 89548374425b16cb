import type { Appointment } from '@family-inbox/proto/carecircle/v1/care_circle'
import { shiftDay, startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { dayOfAppointment } from './appointment-words.ts'

/** After today. */
export const DAYS_AHEAD = 7
/** Days begin up to this much earlier or later for others, and appointments without a time zone are the same for all. */
export const OTHER_ZONES_MS = 14 * 3_600_000
/** More than a family has in a week. */
const MAX_APPOINTMENTS = 50

/** The appointments of today and the next seven days, of one person or of all. */
export async function readComingDays(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  lovedOne: LovedOne | undefined,
): Promise<Appointment[]> {
  const { clock } = visit
  const from = startOfToday(clock)
  const until = new Date(from.getTime() + (DAYS_AHEAD + 1) * DAY_MS + 2 * OTHER_ZONES_MS)
  const request = { lovedOneId: lovedOne?.id ?? '', from, until, pageSize: MAX_APPOINTMENTS, pageToken: '' }
  const { appointments } = await ctx.careCircle.listAppointments(request, asPerson(session, visit))
  return inComingDays(appointments, clock)
}

/** Leaves out what ended before today, or starts later, where the reader is. */
export function inComingDays(appointments: readonly Appointment[], clock: ReaderClock): Appointment[] {
  const last = shiftDay(calendarDay(clock.now, clock), DAYS_AHEAD)
  return appointments.filter((appointment) => {
    const day = listedDay(appointment, clock)
    return day !== undefined && day <= last
  })
}

export function startOfToday(clock: ReaderClock): Date {
  const start = startOfDay(calendarDay(clock.now, clock), clock) ?? clock.now
  return new Date(start.getTime() - OTHER_ZONES_MS)
}

/** The day under which an appointment is listed: today if it began earlier; undefined if it is over. */
export function listedDay({ start, end }: Pick<Appointment, 'start' | 'end'>, clock: ReaderClock): string | undefined {
  const today = calendarDay(clock.now, clock)
  const last = end ?? start
  if (start === undefined || last === undefined || dayOfAppointment(last, clock) < today) return undefined
  return [dayOfAppointment(start, clock), today].sort().at(-1)
}

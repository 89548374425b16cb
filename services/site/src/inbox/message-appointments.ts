import type { Appointment } from '@family-inbox/proto/carecircle/v1/care_circle'
import { appointmentPath, eventTime, markWords, titleOf } from '../appointments/appointment-words.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, shortCalendarDay, wallTime } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type Visit, withTimeout } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { findDates } from './find-dates.ts'

/** The page does not wait longer for the calendar. */
const TIMEOUT_MS = 1000

type MessageIds = { lovedOneId: string; messageId: string }

/** `notTaken`: how many of its events the calendar does not have. */
export type MessageAppointments = { appointments: Appointment[]; notTaken: number }

/** The appointments that a message made or changed; none while the calendar is away. */
export async function readMessageAppointments(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  ids: MessageIds,
): Promise<MessageAppointments> {
  const request = ctx.careCircle.listMessageAppointments(ids, asPerson(session, withTimeout(visit, TIMEOUT_MS)))
  return request.catch(() => ({ appointments: [], notTaken: 0 }))
}

export function appointmentLinks(appointments: Appointment[], clock: ReaderClock): Html | undefined {
  if (appointments.length === 0) return undefined
  return html`<ul class="in-calendar">${appointments.map(
    (appointment) =>
      html`<li>In the calendar: <a href="${appointmentPath(appointment)}"><bdi>${titleOf(appointment)}</bdi></a>, ${eventTime({ start: appointment.start, end: undefined }, clock)}${markWords(appointment)}</li>`,
  )}</ul>`
}

/** Too far ahead, removed, or more than its sender may add: a person adds it. */
export function untakenNote(count: number, { lovedOneId, messageId }: MessageIds, canWrite: boolean): Html | undefined {
  if (count === 0) return undefined
  const href = withQuery('/appointments/new', { for: lovedOneId, message: messageId })
  const words = count === 1 ? 'Not in your calendar.' : `${count} appointments are not in your calendar.`
  return html`<p class="notice">${words}${canWrite && html` <a href="${href}">Add ${count === 1 ? 'it' : 'them'} yourself</a>`}</p>`
}

type Mail = MessageIds & { body: string; writtenAt: Date }

/** Offers the dates that the text names; a person adds them or not. */
export function dateOffers({ lovedOneId, messageId, body, writtenAt }: Mail, clock: ReaderClock): Html | undefined {
  const today = calendarDay(clock.now, clock)
  const dates = findDates(body, calendarDay(writtenAt, clock)).filter(({ day }) => day >= today)
  if (dates.length === 0) return undefined
  const hrefOf = (at: string) => withQuery('/appointments/new', { for: lovedOneId, message: messageId, at })
  return html`<ul class="in-calendar">${dates.map(
    ({ day, time }) =>
      html`<li>${shortCalendarDay(day, clock)}, ${wallTime(time, clock)}: <a href="${hrefOf(`${day}T${time}`)}">Add as appointment</a></li>`,
  )}</ul>`
}

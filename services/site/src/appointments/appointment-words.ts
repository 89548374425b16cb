import {
  type Appointment,
  AppointmentSource,
  type AppointmentTime,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { EventTime, Invitation } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html, webAddress } from '../shell/html.ts'
import { calendarDay, shortCalendarDay, timeOf, wallTime, whenOf } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

export function titleOf({ title }: Pick<Appointment, 'title'>): string {
  return title || 'Appointment without a title'
}

export function appointmentPath({ id, occurrence }: Pick<Appointment, 'id' | 'occurrence'>): string {
  return withQuery(`/appointments/${encodeURIComponent(id)}`, { occurrence })
}

/** The day it starts, for the reader; whole days and times without a zone are the same for everyone. */
export function dayOfAppointment({ at, local }: AppointmentTime, clock: ReaderClock): string {
  return at === undefined ? local.slice(0, 10) : calendarDay(at, clock)
}

export function clockTimeOf({ at, local }: AppointmentTime, clock: ReaderClock): Html | string {
  if (at !== undefined) return timeOf(at, clock)
  return local.includes('T') ? wallTime(local.slice(11), clock) : 'All day'
}

/** Marks what a reader must know before they rely on it, worst first. */
export function marksOf({
  canceled,
  changedAt,
  source,
  tentative,
}: Appointment): { word: string; kind: 'danger' | 'notice' }[] {
  return [
    ...(canceled ? [{ word: 'Canceled', kind: 'danger' as const }] : []),
    ...(changedAt && !canceled ? [{ word: 'Changed', kind: 'notice' as const }] : []),
    ...(tentative && !canceled ? [{ word: 'Not confirmed', kind: 'notice' as const }] : []),
    ...(source === AppointmentSource.UNSPECIFIED ? [{ word: 'Sender not verified', kind: 'notice' as const }] : []),
  ]
}

export function markWords(appointment: Appointment): Html[] {
  return marksOf(appointment).map(({ word, kind }) => html` <span class="mark-word ${kind}">${word}</span>`)
}

/** A link that the reader opens: a place on a map, or a video call. Of a sender without proof, its address is no link. */
export function placeWords(place: string, isProven: boolean): Html {
  const address = webAddress(place.trim())
  if (address !== undefined) return isProven ? callButton(address) : html`<bdi>${place}</bdi>`
  const map = withQuery('https://www.openstreetmap.org/search', { query: place })
  return html`<bdi>${place}</bdi> · <a href="${map}" target="_blank" rel="noopener noreferrer nofollow">Open map</a>`
}

/** How to join a video visit, and what else the organizer writes. Of a sender without proof, the address is no link. */
export function meetingFacts({ link, note }: Pick<Appointment, 'link' | 'note'>, isProven: boolean): Html {
  const address = isProven ? webAddress(link) : undefined
  const join = address ? callButton(address) : html`<bdi>${link}</bdi>`
  return html`${link !== '' && html`<div><dt>Join</dt><dd>${join}</dd></div>`}
${note !== '' && note !== link && html`<div><dt>Details</dt><dd class="event-note"><bdi>${note}</bdi></dd></div>`}`
}

/** Says where it leads, since the name of a link proves nothing. */
function callButton(address: string): Html {
  return html`<a class="button second" href="${address}" target="_blank" rel="noopener noreferrer nofollow">Video call</a> <span class="hint"><bdi>${new URL(address).hostname}</bdi></span>`
}

/** "Tue 12 May, 10:20 to 10:50", in the reader's time zone if the file names one. */
export function eventTime({ start, end }: Pick<Invitation, 'start' | 'end'>, clock: ReaderClock): Html {
  const from = start && oneTime(start, clock)
  if (start === undefined || end === undefined || isSame(start, end)) return html`${from}`
  const isOneDay = start.at && end.at && calendarDay(start.at, clock) === calendarDay(end.at, clock)
  return html`${from} to ${isOneDay && end.at ? timeOf(end.at, clock) : oneTime(end, clock)}`
}

function oneTime({ at, local }: EventTime, clock: ReaderClock): Html {
  if (at !== undefined) return whenOf(at, clock)
  const [day = '', time] = local.split('T')
  const named = Number.isNaN(Date.parse(day)) ? day : shortCalendarDay(day, clock)
  return time === undefined ? html`${named}` : html`${named}, ${wallTime(time, clock)} (no time zone given)`
}

function isSame(start: EventTime, end: EventTime): boolean {
  return start.at?.getTime() === end.at?.getTime() && start.local === end.local
}

import { type Appointment, AppointmentSource } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ListCalendarRequestsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { initialsBadge, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { appointmentPath, eventTime, markWords, meetingFacts, placeWords, titleOf } from './appointment-words.ts'
import { calendarAnswers, readCalendarRequests } from './calendar-answers.ts'
import { readLetter } from './read-letter.ts'

export function showAppointment(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const appointment = await readAppointment(ctx, visit, workspace)
    const [calendar, letter] = await Promise.all([
      readAnswers(ctx, visit, workspace, appointment),
      appointment.addedBy === '' ? undefined : readLetter(ctx, visit, workspace, appointment),
    ])
    return { page: appointmentPage({ workspace, clock: visit.clock, appointment, calendar, writer: letter?.writer }) }
  }
}

/** About this occurrence, or about the whole series. */
async function readAnswers(ctx: Context, visit: Visit, workspace: Workspace, appointment: Appointment) {
  const { lovedOneId, messageId, uidHash, occurrence } = appointment
  if (messageId === '') return { requests: [], answers: [] }
  const found = await readCalendarRequests(ctx, visit, workspace, { lovedOneId, messageId, uidHash })
  const isAbout = (event: { uidHash: string; occurrence: string }) =>
    event.uidHash === uidHash && (event.occurrence === '' || event.occurrence === occurrence)
  return { requests: found.requests.filter(isAbout), answers: found.answers.filter(isAbout) }
}

/** @throws StatusError NOT_FOUND */
export async function readAppointment(ctx: Context, visit: Visit, { session }: Workspace): Promise<Appointment> {
  const request = { appointmentId: visit.id('id'), occurrence: visit.query('occurrence').slice(0, 40) }
  const { appointment } = await ctx.careCircle.getAppointment(request, asPerson(session, visit))
  if (appointment !== undefined) return appointment
  throw new StatusError('NOT_FOUND', 'This appointment is not in your family’s calendar.')
}

/** "I'll go" and its opposite. */
export function setGoing(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const request = { appointmentId: visit.id('id'), occurrence: visit.query('occurrence').slice(0, 40) }
    const going = visit.field('going') === 'yes'
    const { timeZone } = visit.clock
    await ctx.careCircle.setGoing({ ...request, going, timeZone }, asPerson(session, visit))
    const redirectTo = appointmentPath({ id: request.appointmentId, occurrence: request.occurrence })
    return { redirectTo, flash: going ? 'going' : 'not-going' }
  }
}

export function cancelAppointment(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const request = { appointmentId: visit.id('id'), occurrence: visit.query('occurrence').slice(0, 40) }
    await ctx.careCircle.cancelAppointment(request, asPerson(session, visit))
    const redirectTo = appointmentPath({ id: request.appointmentId, occurrence: request.occurrence })
    return { redirectTo, flash: 'appointment-canceled' }
  }
}

type AppointmentData = {
  workspace: Workspace
  clock: ReaderClock
  appointment: Appointment
  calendar: ListCalendarRequestsResponse
  /** Of the letter that a member added it from. */
  writer: string | undefined
}

function appointmentPage(data: AppointmentData): Page {
  const { workspace, clock, appointment, calendar, writer } = data
  const { place, lovedOneId, canceled, changedAt, earlierStart, going, messageId } = appointment
  const about = workspace.lovedOnes.find(({ id }) => id === lovedOneId)
  const isProven = appointment.source !== AppointmentSource.UNSPECIFIED
  const goingNames = going.flatMap((id) => workspace.nameOf.get(id) ?? [])
  return sectionPage(
    { id: 'appointments', workspace },
    {
      title: titleOf(appointment),
      main: html`<p class="up"><a href="/appointments">Calendar</a></p>
<h1>${canceled ? html`<s><bdi>${titleOf(appointment)}</bdi></s>` : html`<bdi>${titleOf(appointment)}</bdi>`}</h1>
<p>${markWords(appointment)}</p>
<dl class="facts appointment-facts">
<div><dt>When</dt><dd class="capital"><strong>${eventTime(appointment, clock)}</strong></dd></div>
${earlierStart && html`<div><dt>Before</dt><dd class="capital"><s>${eventTime({ start: earlierStart, end: undefined }, clock)}</s></dd></div>`}
${place !== '' && html`<div><dt>Where</dt><dd>${placeWords(place, isProven)}</dd></div>`}
${meetingFacts(appointment, isProven)}
${about && html`<div><dt>For</dt><dd>${initialsBadge(about.name, about.position)} <bdi>${about.name}</bdi></dd></div>`}
<div><dt>Going</dt><dd>${goingNames.length > 0 ? html`<bdi>${goingNames.join(', ')}</bdi>` : 'Nobody yet'}</dd></div>
<div><dt>From</dt><dd>${sourceWords(appointment, workspace, writer)}</dd></div>
${changedAt && html`<div><dt>${canceled ? 'Canceled' : 'Changed'}</dt><dd class="capital">${whenOf(changedAt, clock)}</dd></div>`}
</dl>
${calendarAnswers({ ids: { lovedOneId, messageId }, ...calendar, canWrite: workspace.canWrite, isCanceled: canceled }, clock)}
${messageId !== '' && html`<p><a href="${messagePath({ lovedOneId, messageId })}">Open the message</a></p>`}
${workspace.canWrite && actions(data)}`,
    },
  )
}

function actions({ workspace, appointment }: AppointmentData): Html {
  const { id, occurrence, canceled, going, addedBy } = appointment
  const path = (action: string) => withQuery(`/appointments/${encodeURIComponent(id)}/${action}`, { occurrence })
  const isGoing = going.includes(workspace.session.personId)
  return html`<div class="row">
${(isGoing || !canceled) && html`<form method="post" action="${path('going')}"><button name="going" value="${isGoing ? 'no' : 'yes'}"${isGoing && html` class="second"`}>${isGoing ? 'I can’t go' : 'I’ll go'}</button></form>`}
${!canceled && addedBy !== '' && html`<a class="button second" href="${path('change')}">Change</a>`}
${!canceled && html`<form method="post" action="${path('cancel')}"><button class="second">Cancel for the family</button></form>`}
</div>
${!canceled && html`<p class="hint appointment-note">Canceling here tells only your family. Call the clinic to cancel with them.</p>`}
${addedBy === '' && html`<p><a href="${path('remove-sender')}">Remove everything from this sender</a></p>`}`
}

function sourceWords(
  { source, senderName, senderAddress, addedBy }: Appointment,
  { nameOf }: Workspace,
  writer: string | undefined,
) {
  const member = html`<bdi>${nameOf.get(addedBy) ?? 'Former member'}</bdi>`
  if (source === AppointmentSource.MEMBER)
    return writer ? html`<bdi>${writer}</bdi> <span class="hint">Added from the letter by ${member}</span>` : member
  // A name proves nothing: only the address can be verified.
  const address = senderName !== '' && senderAddress !== '' && html` &lt;<bdi>${senderAddress}</bdi>&gt;`
  const name = html`<bdi>${senderName || senderAddress || 'Unknown sender'}</bdi>${address}`
  if (source === AppointmentSource.VERIFIED) return html`${name} <span class="hint">Verified sender</span>`
  if (source === AppointmentSource.FORWARDED) return html`${name} <span class="hint">Forwarded by your family</span>`
  return html`${name}<br><span class="hint">Sender not verified. Before you rely on it, call a number you already have.</span>`
}

import { type Appointment, AppointmentSource } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { readAppointment } from './appointment.ts'
import { appointmentPath } from './appointment-words.ts'

/** Asks before everything that the sender of an appointment put into the calendar is removed. */
export function showRemoveSender(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const appointment = await readAppointment(ctx, visit, workspace)
    const { id, addedBy } = appointment
    if (addedBy !== '') return { redirectTo: appointmentPath({ id, occurrence: '' }) }
    const request = { appointmentId: id, dryRun: true }
    const { removed } = await ctx.careCircle.removeSenderAppointments(request, asPerson(workspace.session, visit))
    return { page: confirmPage(workspace, appointment, removed) }
  }
}

export function removeSender(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const request = { appointmentId: visit.id('id'), dryRun: false }
    await ctx.careCircle.removeSenderAppointments(request, asPerson(session, visit))
    return { redirectTo: '/appointments', flash: 'sender-removed' }
  }
}

function confirmPage(
  workspace: Workspace,
  { id, occurrence, source, senderAddress }: Appointment,
  count: number,
): Page {
  const sender = html`<bdi>${senderAddress || 'this sender'}</bdi>`
  return sectionPage(
    { id: 'appointments', workspace },
    {
      title: 'Remove everything from this sender?',
      main: html`<h1>Remove everything from ${sender}?</h1>
<p>${count === 1 ? '1 appointment is' : `${count} appointments are`} removed for everyone in your care circle, also from calendars that show yours. We don’t notify anyone, even people who are going.</p>
${source === AppointmentSource.UNSPECIFIED && html`<p>Appointments whose sender is verified stay, even if the address is the same.</p>`}
<p>You can’t undo this. The messages stay in the inbox, and new mail from this sender can add appointments again.</p>
<form method="post" action="/appointments/${encodeURIComponent(id)}/remove-sender">
<div class="row"><button class="danger">Remove ${count === 1 ? 'it' : `all ${count}`}</button> <a href="${appointmentPath({ id, occurrence })}">Go back</a></div>
</form>`,
    },
  )
}

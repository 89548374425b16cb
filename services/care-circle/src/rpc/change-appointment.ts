import type { ChangeAppointmentRequest, ChangeAppointmentResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { deriveOccurrences, endsOf } from '../appointments/derive-occurrences.ts'
import { readAppointmentForm } from '../appointments/read-form.ts'
import { requireAppointment } from '../appointments/require-appointment.ts'
import { noticeOf } from '../appointments/send-notices.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** Mailed appointments belong to their sender: the next mail would undo a change. */
export function changeAppointment(ctx: Context): Handler<ChangeAppointmentRequest, ChangeAppointmentResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call, { write: true })
    const component = readAppointmentForm(request)
    const row = await requireAppointment(ctx, workspaceId, request.appointmentId)
    if (row.addedBy === undefined)
      throw new StatusError('FAILED_PRECONDITION', 'This appointment came by mail, so only its sender can change it.')
    const next = { components: [component], canceledByFamily: [] }
    const occurrences = deriveOccurrences({ ...row, ...next }, new Date())
    const notice = noticeOf(row, occurrences, personId)
    const { matchedCount } = await ctx.appointments.updateOne(
      { _id: row._id, workspaceId, version: request.version },
      { $set: { ...next, occurrences, ...endsOf(occurrences), ...notice }, $inc: { version: 1 } },
    )
    ctx.wake.notices()
    ctx.wake.reminders()
    if (matchedCount === 1) return {}
    throw new StatusError('FAILED_PRECONDITION', 'Somebody else has just changed this appointment. Look at it again.')
  }
}

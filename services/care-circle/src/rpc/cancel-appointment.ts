import type { CancelAppointmentRequest, CancelAppointmentResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { deriveOccurrences, endsOf, isCanceledByFamily } from '../appointments/derive-occurrences.ts'
import { requireAppointment, requireOccurrence } from '../appointments/require-appointment.ts'
import { noticeOf } from '../appointments/send-notices.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

const TRIES = 10

/** Cancels an occurrence of a series, or a single appointment. Canceling twice is the same as once. */
export function cancelAppointment(ctx: Context): Handler<CancelAppointmentRequest, CancelAppointmentResponse> {
  return async ({ appointmentId, occurrence: key }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call, { write: true })
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await requireAppointment(ctx, workspaceId, appointmentId)
      requireOccurrence(row, key)
      if (isCanceledByFamily(row.canceledByFamily, key)) return {}
      const canceledByFamily = [...row.canceledByFamily, key === '' ? '*' : key]
      const occurrences = deriveOccurrences({ ...row, canceledByFamily }, new Date())
      const next = { canceledByFamily, occurrences, ...endsOf(occurrences) }
      const { matchedCount } = await ctx.appointments.updateOne(
        { _id: row._id, workspaceId, version: row.version },
        { $set: { ...next, ...noticeOf(row, occurrences, personId) }, $inc: { version: 1 } },
      )
      ctx.wake.notices()
      ctx.wake.reminders()
      if (matchedCount === 1) return {}
    }
    throw new StatusError('UNAVAILABLE', 'This appointment is changing right now. Try again in a moment.')
  }
}

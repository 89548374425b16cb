import type { SetGoingRequest, SetGoingResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireAppointment, requireOccurrence } from '../appointments/require-appointment.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** Adds or removes only the caller, in one update: nobody's change is lost. */
export function setGoing(ctx: Context): Handler<SetGoingRequest, SetGoingResponse> {
  return async ({ appointmentId, occurrence: key, going }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call, { write: true })
    const row = await requireAppointment(ctx, workspaceId, appointmentId)
    const { canceled } = requireOccurrence(row, key)
    if (going && canceled) throw new StatusError('FAILED_PRECONDITION', 'This appointment is canceled.')
    const one = { key, personId }
    const { matchedCount } = await ctx.appointments.updateOne(
      { _id: row._id, workspaceId, ...(going && { occurrences: { $elemMatch: { key, canceled: false } } }) },
      going ? { $addToSet: { going: one } } : { $pull: { going: one } },
    )
    if (matchedCount === 0)
      throw new StatusError('FAILED_PRECONDITION', 'This appointment has just changed. Look at it again.')
    return {}
  }
}

import type {
  RemoveSenderAppointmentsRequest,
  RemoveSenderAppointmentsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireAppointment } from '../appointments/require-appointment.ts'
import { recordUntaken } from '../appointments/untaken.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

const BATCH = 200

/** By address and proof: what a stranger sends in a clinic's name goes without what the clinic sends. */
export function removeSenderAppointments(
  ctx: Context,
): Handler<RemoveSenderAppointmentsRequest, RemoveSenderAppointmentsResponse> {
  return async ({ appointmentId, dryRun }, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const { proof, senderAddress } = await requireAppointment(ctx, workspaceId, appointmentId)
    if (proof === 'member')
      throw new StatusError('FAILED_PRECONDITION', 'A member added this appointment, so it has no sender.')
    const all = { workspaceId, proof, senderAddress }
    if (dryRun) return { removed: await ctx.appointments.countDocuments(all) }
    for (let removed = 0; ; ) {
      const rows = await ctx.appointments.find(all, { components: 0, occurrences: 0 }).limit(BATCH).lean()
      if (rows.length === 0) return { removed }
      // First, so that no repeated mail brings one back.
      await recordUntaken(ctx, rows, true)
      removed += (await ctx.appointments.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })).deletedCount
    }
  }
}

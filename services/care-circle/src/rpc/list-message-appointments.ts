import type {
  ListMessageAppointmentsRequest,
  ListMessageAppointmentsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { toWireAppointment } from '../appointments/to-wire-appointment.ts'
import { countUntaken } from '../appointments/untaken.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

const MOST = 10

export function listMessageAppointments(
  ctx: Context,
): Handler<ListMessageAppointmentsRequest, ListMessageAppointmentsResponse> {
  return async ({ lovedOneId, messageId }, call) => {
    const { workspaceId } = await requireMember(ctx, call, { lovedOneId })
    const filter = { workspaceId, lovedOneId, messageIds: messageId }
    const rows = await ctx.appointments.find(filter, { components: 0 }).limit(MOST).lean()
    const now = new Date()
    const appointments = rows.flatMap((row) => {
      const { occurrences } = row
      const occurrence = occurrences.find(({ endsAt }) => endsAt >= now) ?? occurrences.at(-1)
      return occurrence ? [toWireAppointment({ ...row, occurrence })] : []
    })
    return { appointments, notTaken: await countUntaken(ctx, { workspaceId, lovedOneId, messageId }) }
  }
}

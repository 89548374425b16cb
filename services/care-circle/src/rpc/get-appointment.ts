import type { GetAppointmentRequest, GetAppointmentResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireAppointment, requireOccurrence } from '../appointments/require-appointment.ts'
import { toWireAppointment } from '../appointments/to-wire-appointment.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

export function getAppointment(ctx: Context): Handler<GetAppointmentRequest, GetAppointmentResponse> {
  return async ({ appointmentId, occurrence }, call) => {
    const { workspaceId } = await requireMember(ctx, call)
    const row = await requireAppointment(ctx, workspaceId, appointmentId)
    return { appointment: toWireAppointment({ ...row, occurrence: requireOccurrence(row, occurrence) }) }
  }
}

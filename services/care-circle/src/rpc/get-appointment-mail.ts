import type {
  GetAppointmentMailRequest,
  GetAppointmentMailResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { appointmentMailOf } from '../appointments/appointment-mail.ts'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

export function getAppointmentMail(ctx: Context): Handler<GetAppointmentMailRequest, GetAppointmentMailResponse> {
  return async (_request, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call)
    const member = await ctx.members.findById(memberId(workspaceId, personId), { appointmentMail: 1 }).lean()
    const { changes, dayBefore, hoursBefore } = appointmentMailOf(member?.appointmentMail)
    return { mail: { changes, dayBefore, hoursBefore } }
  }
}

import type {
  SetAppointmentMailRequest,
  SetAppointmentMailResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { isTimeZone } from '@family-inbox/service-kit/time/time-zone'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

/** For viewers, too. It applies from the next change or reminder on. @throws StatusError INVALID_ARGUMENT */
export function setAppointmentMail(ctx: Context): Handler<SetAppointmentMailRequest, SetAppointmentMailResponse> {
  return async ({ mail, timeZone }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call)
    requirePerson(call)
    if (mail === undefined) throw invalidArgument('mail', 'mail is required.')
    if (!isTimeZone(timeZone))
      throw invalidArgument('timeZone', 'timeZone must be an IANA time zone, such as Europe/Lisbon.')
    const { changes, dayBefore, hoursBefore } = mail
    const appointmentMail = { changes, dayBefore, hoursBefore, timeZone }
    await ctx.members.updateOne({ _id: memberId(workspaceId, personId) }, { $set: { appointmentMail } })
    // Another time zone moves what has no zone.
    await ctx.appointments.updateMany(
      { workspaceId, 'going.personId': personId, remindDueAt: { $exists: true } },
      { $set: { remindDueAt: new Date() } },
    )
    ctx.wake.reminders()
    return {}
  }
}

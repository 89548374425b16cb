import type { SetGoingRequest, SetGoingResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { isTimeZone } from '@family-inbox/service-kit/time/time-zone'
import { requireAppointment, requireOccurrence } from '../appointments/require-appointment.ts'
import type { Context } from '../context.ts'
import type { Appointment, Going } from '../models/appointment.ts'
import { memberId } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

/** Adds or removes only the caller, in one update: nobody's change is lost. Whoever goes is reminded. */
export function setGoing(ctx: Context): Handler<SetGoingRequest, SetGoingResponse> {
  return async ({ appointmentId, occurrence: key, going, timeZone }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call, { write: true })
    const row = await requireAppointment(ctx, workspaceId, appointmentId)
    const { canceled } = requireOccurrence(row, key)
    if (going && canceled) throw new StatusError('FAILED_PRECONDITION', 'This appointment is canceled.')
    const one = { key, personId }
    if (going) await startGoing(ctx, row, one, timeZone)
    else await ctx.appointments.updateOne({ _id: row._id, workspaceId }, { $pull: { going: one } })
    return {}
  }
}

async function startGoing(
  ctx: Context,
  { _id, workspaceId }: Appointment,
  one: Going,
  timeZone: string,
): Promise<void> {
  const { key, personId } = one
  if (isTimeZone(timeZone))
    await ctx.members.updateOne(
      { _id: memberId(workspaceId, personId), 'appointmentMail.timeZone': { $exists: false } },
      { $set: { 'appointmentMail.timeZone': timeZone } },
    )
  const now = new Date()
  const occurrences = { $elemMatch: { key, canceled: false } }
  const { matchedCount } = await ctx.appointments.updateOne(
    { _id, workspaceId, occurrences, going: { $not: { $elemMatch: one } } },
    { $push: { going: { ...one, since: now } }, $set: { remindDueAt: now } },
  )
  ctx.wake.reminders()
  if (matchedCount === 1 || (await ctx.appointments.exists({ _id, workspaceId, going: { $elemMatch: one } }))) return
  throw new StatusError('FAILED_PRECONDITION', 'This appointment has just changed. Look at it again.')
}

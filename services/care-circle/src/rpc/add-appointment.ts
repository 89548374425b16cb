import type { AddAppointmentRequest, AddAppointmentResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { hashUid } from '@family-inbox/workspace-kit/calendar-changes'
import { deriveOccurrences, endsOf } from '../appointments/derive-occurrences.ts'
import { readAppointmentForm } from '../appointments/read-form.ts'
import { newsOf } from '../appointments/send-notices.ts'
import type { Context } from '../context.ts'
import { type Appointment, FAMILY } from '../models/appointment.ts'
import { requireMember } from '../require-member.ts'

/** The limit for appointments that members add, ahead; and as many that are over or canceled. */
const MOST_OF_MEMBERS = 3000

/** The id derives from the idempotency key, so a repeated request finds its appointment. */
export function addAppointment(ctx: Context): Handler<AddAppointmentRequest, AddAppointmentResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId, personId } = await requireMember(ctx, call, { lovedOneId, write: true })
    const component = readAppointmentForm(request)
    const messageId = optionalLine('messageId', request.messageId, 200)
    const key = optionalLine('idempotencyKey', request.idempotencyKey, 200)
    const _id = key === '' ? newId('apt') : deriveId('apt', [workspaceId, lovedOneId, personId, key])
    const known = { components: [component], occurrences: [], canceledByFamily: [], going: [] }
    const occurrences = deriveOccurrences(known, new Date())
    const row = {
      ...known,
      _id,
      workspaceId,
      lovedOneId,
      uidHash: hashUid(_id),
      owner: FAMILY,
      proof: 'member' as const,
      senderName: '',
      senderAddress: '',
      messageIds: messageId === '' ? [] : [messageId],
      occurrences,
      ...endsOf(occurrences),
      addedBy: personId,
      createdAt: new Date(),
      version: 1,
    } satisfies Appointment
    await requireSpace(ctx, row)
    await insertOnce(ctx.appointments.collection, [{ ...row, ...newsOf(row, personId) }])
    ctx.wake.notices()
    return { appointmentId: _id }
  }
}

/** Appointments that are over or canceled take no space from what is ahead. */
async function requireSpace({ appointments }: Context, row: Appointment & { activeUntil: Date }): Promise<void> {
  const { workspaceId, lovedOneId, activeUntil } = row
  const now = new Date()
  const same = { workspaceId, lovedOneId, proof: 'member' as const }
  const filter = { ...same, activeUntil: activeUntil > now ? { $gt: now } : { $lte: now } }
  if ((await appointments.countDocuments(filter, { limit: MOST_OF_MEMBERS })) < MOST_OF_MEMBERS) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `Your family has added ${MOST_OF_MEMBERS} appointments already. No more can be added.`,
  )
}

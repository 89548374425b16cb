import type { AddAppointmentRequest, AddAppointmentResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { hashUid } from '@family-inbox/workspace-kit/calendar-changes'
import { deriveOccurrences, endsOf } from '../appointments/derive-occurrences.ts'
import { hasSpace, MOST_OF_MEMBERS } from '../appointments/has-space.ts'
import { readAppointmentForm } from '../appointments/read-form.ts'
import type { Context } from '../context.ts'
import { type Appointment, FAMILY } from '../models/appointment.ts'
import { requireMember } from '../require-member.ts'

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
    await insertOnce(ctx.appointments.collection, [row])
    return { appointmentId: _id }
  }
}

async function requireSpace(ctx: Context, row: Appointment & { activeUntil: Date }): Promise<void> {
  if (await hasSpace(ctx, row)) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `Your family has added ${MOST_OF_MEMBERS} appointments already. No more can be added.`,
  )
}

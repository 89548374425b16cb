import { createHash } from 'node:crypto'
import type { AddAppointmentRequest, AddAppointmentResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/text/text-rules'
import { deriveOccurrences, lastEnd } from '../appointments/derive-occurrences.ts'
import { readAppointmentForm } from '../appointments/read-form.ts'
import { MAX_APPOINTMENTS } from '../appointments/store-change.ts'
import type { Context } from '../context.ts'
import { type Appointment, FAMILY, hashUid } from '../models/appointment.ts'
import { requireMember } from '../require-member.ts'

/** The id derives from the idempotency key, so a repeated request finds its appointment. */
export function addAppointment(ctx: Context): Handler<AddAppointmentRequest, AddAppointmentResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId, personId } = await requireMember(ctx, call, { lovedOneId, write: true })
    const component = readAppointmentForm(request)
    const messageId = optionalLine('messageId', request.messageId, 200)
    const key = optionalLine('idempotencyKey', request.idempotencyKey, 200)
    await requireSpace(ctx, { workspaceId, lovedOneId })
    const _id = key === '' ? newId('apt') : idOf([workspaceId, lovedOneId, personId, key])
    const known = { components: [component], occurrences: [], canceledByFamily: [], going: [] }
    const occurrences = deriveOccurrences(known, new Date())
    const row: Appointment = {
      ...known,
      _id,
      workspaceId,
      lovedOneId,
      uidHash: hashUid(_id),
      owner: FAMILY,
      proof: 'member',
      senderName: '',
      senderAddress: '',
      messageIds: messageId === '' ? [] : [messageId],
      occurrences,
      lastEndsAt: lastEnd(occurrences),
      addedBy: personId,
      createdAt: new Date(),
      version: 1,
    }
    await insertOnce(ctx.appointments.collection, [row])
    return { appointmentId: _id }
  }
}

async function requireSpace(ctx: Context, owner: Pick<Appointment, 'workspaceId' | 'lovedOneId'>): Promise<void> {
  const count = await ctx.appointments.countDocuments(owner, { limit: MAX_APPOINTMENTS })
  if (count < MAX_APPOINTMENTS) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `There are ${MAX_APPOINTMENTS} appointments already. No more can be added.`,
  )
}

function idOf(parts: string[]): string {
  return `apt_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`
}

import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Appointment, Occurrence } from '../models/appointment.ts'

/** The same error for an unknown one and for another workspace's. */
export async function requireAppointment(ctx: Context, workspaceId: string, _id: string): Promise<Appointment> {
  const row = await ctx.appointments.findOne({ _id, workspaceId }).lean()
  if (row) return row
  throw notFound()
}

export function requireOccurrence({ occurrences }: Appointment, key: string): Occurrence {
  const found = occurrences.find((occurrence) => occurrence.key === key)
  if (found !== undefined) return found
  throw notFound()
}

function notFound(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no such appointment in your family’s calendar.')
}

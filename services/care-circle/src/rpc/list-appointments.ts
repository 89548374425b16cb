import type { ListAppointmentsRequest, ListAppointmentsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, readPageSize } from '@family-inbox/service-kit/rpc/page'
import { type EntryFilter, findEntries } from '../appointments/find-entries.ts'
import { toWireAppointment } from '../appointments/to-wire-appointment.ts'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

export function listAppointments(ctx: Context): Handler<ListAppointmentsRequest, ListAppointmentsResponse> {
  return async ({ lovedOneId, from, until, pageSize, pageToken }, call) => {
    const { workspaceId } = await requireMember(ctx, call, lovedOneId === '' ? {} : { lovedOneId })
    const limit = readPageSize(pageSize, { byDefault: 50, max: 200 })
    const filter: EntryFilter = { workspaceId, lovedOneId, from, until }
    const rows = await findEntries(ctx, filter, { limit: limit + 1, pageToken })
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.startsAt)
    return { appointments: page.map(({ entry }) => toWireAppointment(entry)), nextPageToken }
  }
}

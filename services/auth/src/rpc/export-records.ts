import type { ExportRecordsRequest, ExportRecordsResponse } from '@family-inbox/proto/auth/v1/auth'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { exportJson, exportRows, toPieces, withIds } from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { visibleEntries } from '../models/audit-entry.ts'

export function exportRecords(ctx: Context): StreamHandler<ExportRecordsRequest, ExportRecordsResponse> {
  return async function* (_request, call) {
    const member = await ctx.requireMember(call)
    const { personId, workspaceId } = member
    const own = { personId, workspaceId }
    const keys = ctx.toolKeys.find(own, { hash: 0, calls: 0, networks: 0, alarms: 0, alarmDueAt: 0 }).lean().cursor()
    const grants = ctx.grants
      .find(own, { clientName: 1, scopes: 1, access: 1, createdAt: 1, lastUsedAt: 1, pausedAt: 1, revokedAt: 1 })
      .lean()
      .cursor()
    const sessions = ctx.sessions
      .find({ personId }, { userAgent: 1, createdAt: 1, lastUsedAt: 1, revokedAt: 1, _id: 0 })
      .lean()
      .cursor()
    const passkeys = ctx.passkeys.find({ personId }, { name: 1, createdAt: 1, lastUsedAt: 1, _id: 0 }).lean().cursor()
    const entries = (people: boolean) =>
      ctx.auditEntries.find(visibleEntries(member, { people })).sort({ startedAt: -1, _id: -1 }).lean().cursor()
    const person = await ctx.people
      .findById(personId, { _id: 0, name: 1, email: 1, createdAt: 1, passkeyOnlySince: 1 })
      .lean()
    yield* toPieces(
      exportJson('you/profile.json', person ?? {}),
      exportRows('you/devices.json', sessions),
      exportRows('you/passkeys.json', passkeys),
      exportRows('assistants/tool-keys.json', withIds(keys)),
      exportRows('assistants/connected-apps.json', withIds(grants)),
      exportRows('assistants/activity.json', withIds(entries(false))),
      exportRows('activity/people.json', withIds(entries(true))),
    )
  }
}

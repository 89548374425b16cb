import type {
  AuditCredential,
  AuditEntry,
  ListAuditEntriesRequest,
  ListAuditEntriesResponse,
} from '@family-inbox/proto/auth/v1/auth'
import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { AuditEntry as Row } from '../models/audit-entry.ts'

/** Members see the calls of their own agents, the owner sees all. */
export function listAuditEntries(ctx: Context): Handler<ListAuditEntriesRequest, ListAuditEntriesResponse> {
  return async (request, call) => {
    const member = await ctx.requireMember(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const rows = await ctx.auditEntries
      .find({ $and: [visibleEntries(member), chosenBy(request), olderThan('startedAt', request.pageToken)] })
      .sort({ startedAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.startedAt)
    return { entries: page.map(toWire), nextPageToken, credentials: await findCredentials(ctx, member, page) }
  }
}

function chosenBy({ tool, outcomes, personId }: ListAuditEntriesRequest) {
  return {
    ...(tool !== '' && { tool }),
    ...(outcomes.length > 0 && { outcome: { $in: outcomes } }),
    ...(personId !== '' && { personId }),
  }
}

export async function findCredentials(
  ctx: Context,
  { workspaceId }: { workspaceId: string },
  rows: Pick<Row, 'credentialId'>[],
): Promise<AuditCredential[]> {
  const ours = { workspaceId, _id: { $in: [...new Set(rows.map(({ credentialId }) => credentialId))] } }
  const [keys, grants] = await Promise.all([
    ctx.toolKeys.find(ours, { name: 1 }).lean(),
    ctx.grants.find(ours, { clientName: 1 }).lean(),
  ])
  return [
    ...keys.map(({ _id, name }) => ({ id: _id, name })),
    ...grants.map(({ _id, clientName }) => ({ id: _id, name: clientName })),
  ]
}

function toWire({ _id, ...row }: Row): AuditEntry {
  return { id: _id, ...row }
}

export function visibleEntries({ workspaceId, personId, role }: Membership) {
  return { workspaceId, ...(role !== Role.OWNER && { personId }) }
}

import type { AuditCount, CountCallsRequest, CountCallsResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { findCredentials } from '../assistants/find-credentials.ts'
import type { Context } from '../context.ts'
import { BY_ASSISTANTS, countCallsBy } from '../models/audit-entry.ts'

export function countCalls(ctx: Context): Handler<CountCallsRequest, CountCallsResponse> {
  return async ({ workspaceId, personId, after, until }, call) => {
    requireService(call, 'inbox')
    if (!after || !until) throw invalidArgument('until', 'after and until are required.')
    const groups = await ctx.auditEntries.aggregate<Omit<AuditCount, 'day'>>([
      {
        $match: {
          workspaceId,
          ...BY_ASSISTANTS,
          startedAt: { $gt: after, $lte: until },
          ...(personId !== '' && { personId }),
        },
      },
      ...countCallsBy(),
    ])
    const counts = groups.map((group) => ({ ...group, day: '' }))
    return { counts, credentials: await findCredentials(ctx, workspaceId, counts) }
  }
}

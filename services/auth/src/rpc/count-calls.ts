import type { CallCount, CountCallsRequest, CountCallsResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { findCredentials } from './list-audit-entries.ts'

export function countCalls(ctx: Context): Handler<CountCallsRequest, CountCallsResponse> {
  return async ({ workspaceId, personId, after, until }, call) => {
    requireService(call, 'inbox')
    if (!after || !until) throw invalidArgument('until', 'after and until are required.')
    const groups = await ctx.auditEntries.aggregate<{ _id: Omit<CallCount, 'count'>; count: number }>([
      { $match: { workspaceId, startedAt: { $gt: after, $lte: until }, ...(personId !== '' && { personId }) } },
      { $group: { _id: BY, count: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ])
    const counts = groups.map(({ _id, count }) => ({ ..._id, count }))
    return { counts, credentials: await findCredentials(ctx, { workspaceId }, counts) }
  }
}

const BY = {
  personId: '$personId',
  credentialId: '$credentialId',
  kind: '$kind',
  tool: '$tool',
  outcome: '$outcome',
} as const

import type {
  ListClaimableSandboxesRequest,
  ListClaimableSandboxesResponse,
} from '@family-inbox/proto/sandbox/v1/sandbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import { claimableBy, requireClaimant } from '../sandboxes/claims.ts'

const MOST_LISTED = 20

export function listClaimableSandboxes(
  ctx: Context,
): Handler<ListClaimableSandboxesRequest, ListClaimableSandboxesResponse> {
  return async (_request, call) => {
    const claimant = requireClaimant(call)
    const rows = await ctx.sandboxes.find(claimableBy(claimant)).sort({ createdAt: -1 }).limit(MOST_LISTED).lean()
    const counts = await countMessages(ctx, rows, call.deadline)
    return {
      sandboxes: rows.map((row, index) => ({
        workspaceId: row._id,
        familyName: row.familyName,
        workspaceName: row.workspaceName,
        lovedOneName: row.lovedOneName,
        inboxAddress: row.inboxAddress ?? '',
        careContext: row.careContext,
        inviteDrafts: row.inviteDrafts,
        messageCount: counts[index] ?? 0,
        createdAt: row.createdAt,
        expiresAt: row.expiresAt,
      })),
    }
  }
}

async function countMessages(ctx: Context, rows: Sandbox[], deadline: number): Promise<number[]> {
  if (rows.length === 0) return []
  const { counts } = await ctx.inbox.countSandboxMessages({ workspaceIds: rows.map(({ _id }) => _id) }, { deadline })
  return counts
}

import type {
  ListClaimableSandboxesRequest,
  ListClaimableSandboxesResponse,
} from '@family-inbox/proto/sandbox/v1/sandbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import { claimableBy, requireClaimant } from '../sandboxes/claims.ts'

const PAGE_SIZE = 20

export function listClaimableSandboxes(
  ctx: Context,
): Handler<ListClaimableSandboxesRequest, ListClaimableSandboxesResponse> {
  return async ({ workspaceId, pageToken }, call) => {
    const theirs = { ...claimableBy(requireClaimant(call)), ...(workspaceId !== '' && { _id: workspaceId }) }
    const rows = await ctx.sandboxes
      .find({ $and: [theirs, olderThan('createdAt', pageToken)] })
      .sort({ createdAt: -1, _id: -1 })
      .limit(PAGE_SIZE + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, PAGE_SIZE, (row) => row.createdAt)
    const counts = await countMessages(ctx, page, call.deadline)
    return {
      nextPageToken,
      sandboxes: page.map((row, index) => ({
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

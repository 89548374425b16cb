import type { GetStorageRequest, GetStorageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findStorageUse, NEARLY_FULL, recountStorage } from '../storage/storage-use.ts'

const RECOUNT_MS = 3_600_000

export function getStorage(ctx: Context): Handler<GetStorageRequest, GetStorageResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    const limitBytes = ctx.config.storageBytes
    let use = await findStorageUse(ctx, workspaceId)
    if (use.bytes >= limitBytes * NEARLY_FULL) use = await recountStorage(ctx, use, RECOUNT_MS)
    const usedBytes = Math.max(use.bytes, 0)
    return { usedBytes, limitBytes, nearlyFull: usedBytes >= limitBytes * NEARLY_FULL }
  }
}

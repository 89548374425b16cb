import type { DiscardSandboxRequest, DiscardSandboxResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { type Claimant, claimableBy, nothingToClaim, requireClaimant } from '../sandboxes/claims.ts'
import { removeSandboxes } from '../sandboxes/remove-sandboxes.ts'

/** Deletes a sandbox that was created for the caller's email. Nobody can claim it afterwards. */
export function discardSandbox(ctx: Context): Handler<DiscardSandboxRequest, DiscardSandboxResponse> {
  return async ({ workspaceId, all }, call) => {
    const claimant = requireClaimant(call)
    if (all) return discardAll(ctx, claimant)
    const { matchedCount } = await ctx.sandboxes.updateOne(
      { _id: workspaceId, ...claimableBy(claimant) },
      { $set: { state: 'removing', dueAt: new Date() } },
    )
    if (matchedCount === 0) throw nothingToClaim()
    await removeSandboxes(ctx, [workspaceId]).catch((error) => {
      ctx.logger.warn(describeError(error), 'discarded sandbox left to the sweeper')
      ctx.wake.sandboxes()
    })
    return {}
  }
}

/** Nobody can claim them from now on. The sweeper deletes them within seconds. */
async function discardAll(ctx: Context, claimant: Claimant): Promise<DiscardSandboxResponse> {
  await ctx.sandboxes.updateMany(claimableBy(claimant), { $set: { state: 'removing', dueAt: new Date() } })
  ctx.wake.sandboxes()
  return {}
}

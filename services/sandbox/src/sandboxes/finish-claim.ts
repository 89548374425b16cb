import type { Context } from '../context.ts'

/** How long a claimed sandbox answers a repeated claim. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Ends a sandbox whose workspace is a household now: its inbox takes as much mail as any, and what was personal here goes.
 * Doing it twice does no harm.
 * @param claimedBy the person, where that is known here
 */
export async function finishClaim(
  ctx: Context,
  workspaceId: string,
  claimedBy?: string,
  deadline?: number,
): Promise<void> {
  await ctx.inbox.liftSandboxLimit({ workspaceId }, { deadline })
  const forgetAt = new Date(Date.now() + REMEMBERED_MS)
  await ctx.sandboxes.updateOne(
    { _id: workspaceId },
    {
      $set: { state: 'claimed', forgetAt, ...(claimedBy !== undefined && { claimedBy }) },
      $unset: PERSONAL,
    },
  )
}

const PERSONAL = {
  lovedOneName: 1,
  familyName: 1,
  workspaceName: 1,
  claimEmail: 1,
  careContext: 1,
  inviteDrafts: 1,
  inboxAddress: 1,
  dueAt: 1,
} as const

import type { Context } from '../context.ts'

/** How long a repeated claim still succeeds. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Turns a claimed sandbox into an ordinary workspace: lifts its inbox limit and deletes personal data here. Idempotent.
 * @param claimedBy the person, where known
 */
export async function finishClaim(
  ctx: Context,
  workspaceId: string,
  claimedBy?: string,
  deadline?: number,
): Promise<void> {
  await ctx.inbox.liftSandboxLimit({ workspaceId }, { deadline })
  const deleteAt = new Date(Date.now() + KEPT_MS)
  await ctx.sandboxes.updateOne(
    { _id: workspaceId },
    {
      $set: { state: 'claimed', deleteAt, ...(claimedBy !== undefined && { claimedBy }) },
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

import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import type { SandboxState } from '../models/sandbox.ts'

/** How long a repeated claim still succeeds. */
const KEPT_MS = 7 * DAY_MS

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

export type Claimant = { personId: string; email: string }

/** Tool keys and grants do not prove an email. */
export function requireClaimant(call: Call): Claimant {
  const { personId, email } = requirePrincipal(call)
  if (email !== undefined) return { personId, email }
  throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
}

export function claimableBy({ email }: Claimant) {
  const states: SandboxState[] = ['open', 'claiming']
  return { claimEmail: email, state: { $in: states }, expiresAt: { $gt: new Date() } }
}

/** The same error for every reason, so that it reveals nothing about other people's sandboxes. */
export function nothingToClaim(): StatusError {
  return new StatusError(
    'NOT_FOUND',
    'There is no inbox here that you can take over. It may have expired, or someone took it over already.',
    {
      field: 'workspaceId',
    },
  )
}

/** Makes a claimed sandbox an ordinary workspace and deletes personal data here. Idempotent. */
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

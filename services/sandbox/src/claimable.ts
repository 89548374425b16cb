import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { SandboxState } from './models/sandbox.ts'

/** Somebody who has just proved their email. */
export type Claimant = { personId: string; email: string }

/**
 * The first line of whatever is about claiming. Tool keys and grants prove no email.
 * @throws StatusError FAILED_PRECONDITION
 */
export function requireClaimant(call: Call): Claimant {
  const { personId, email } = requirePrincipal(call)
  if (email !== undefined) return { personId, email }
  throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
}

/** The filter for sandboxes this person may claim now: opened for the very email they have proved. */
export function claimableBy({ email }: Claimant) {
  const states: SandboxState[] = ['open', 'claiming']
  return { claimEmail: email, state: { $in: states }, expiresAt: { $gt: new Date() } }
}

/** The one answer for a sandbox that is not the caller's to claim, whatever the reason. */
export function nothingToClaim(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no workspace here that you can take. It may have ended, or be taken.', {
    field: 'workspaceId',
  })
}

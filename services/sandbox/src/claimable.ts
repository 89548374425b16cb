import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { SandboxState } from './models/sandbox.ts'

export type Claimant = { personId: string; email: string }

/**
 * Tool keys and grants do not prove an email.
 * @throws StatusError FAILED_PRECONDITION
 */
export function requireClaimant(call: Call): Claimant {
  const { personId, email } = requirePrincipal(call)
  if (email !== undefined) return { personId, email }
  throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
}

/** Filters sandboxes that were created for the email this person proved. */
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

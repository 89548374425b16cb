import { type Call, requirePrincipal } from './call.ts'
import { StatusError } from './status-error.ts'

/** How long after a sign-in, or after confirming that it is them, a person may do what is hard to undo. */
export const RECENT_SIGN_IN_MS = 10 * 60_000

const FIELD = 'verifiedAt'

/**
 * The first line of what a borrowed or stolen session must not do: hand over, delete, create credentials. The person must have
 * signed in, or confirmed that it is them, in the last 10 minutes. Tool keys and access tokens never have.
 * @throws StatusError UNAUTHENTICATED with the field `verifiedAt`
 */
export function requireRecentSignIn(call: Call): void {
  const { verifiedAt } = requirePrincipal(call)
  if (verifiedAt !== undefined && Date.now() - verifiedAt * 1000 < RECENT_SIGN_IN_MS) return
  throw new StatusError('UNAUTHENTICATED', 'Sign in again to confirm that it is you.', { field: FIELD })
}

/** Whether a call failed for want of a recent sign-in, so that the person should confirm that it is them. */
export function needsRecentSignIn(error: unknown): boolean {
  return error instanceof StatusError && error.status === 'UNAUTHENTICATED' && error.detail.field === FIELD
}

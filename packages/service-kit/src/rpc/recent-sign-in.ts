import { type Call, requirePrincipal } from './call.ts'
import { StatusError } from './status-error.ts'

export const RECENT_SIGN_IN_MS = 10 * 60_000

const FIELD = 'verifiedAt'

/** Assistants call through it, some with their person's session. */
const GATEWAY = 'gateway'

/** Protects what a stolen session must not do. Assistants never pass. @throws StatusError UNAUTHENTICATED */
export function requireRecentSignIn(call: Call): void {
  const { holder, verifiedAt } = requirePrincipal(call)
  requireRecent(holder === GATEWAY ? undefined : verifiedAt)
}

/** @param verifiedAt in seconds since 1970 @throws StatusError UNAUTHENTICATED */
export function requireRecent(verifiedAt: number | undefined): void {
  if (verifiedAt !== undefined && Date.now() - verifiedAt * 1000 < RECENT_SIGN_IN_MS) return
  throw new StatusError('UNAUTHENTICATED', 'Sign in again to confirm that it is you.', { field: FIELD })
}

/** For acts that tool keys and connected apps may do as well. A session must be recent, also when an assistant uses it. */
export function requireRecentSession(call: Call): void {
  const { email, verifiedAt } = requirePrincipal(call)
  if (email !== undefined) requireRecent(verifiedAt)
}

export function needsRecentSignIn(error: unknown): boolean {
  return error instanceof StatusError && error.status === 'UNAUTHENTICATED' && error.detail.field === FIELD
}

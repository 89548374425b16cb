import { type Call, requirePrincipal } from './call.ts'
import { StatusError } from './status-error.ts'

export const RECENT_SIGN_IN_MS = 10 * 60_000

const FIELD = 'verifiedAt'

/** Protects what a stolen session must not do. Tool keys and access tokens never pass. @throws StatusError UNAUTHENTICATED */
export function requireRecentSignIn(call: Call): void {
  const { verifiedAt } = requirePrincipal(call)
  if (verifiedAt !== undefined && Date.now() - verifiedAt * 1000 < RECENT_SIGN_IN_MS) return
  throw new StatusError('UNAUTHENTICATED', 'Sign in again to confirm that it is you.', { field: FIELD })
}

export function needsRecentSignIn(error: unknown): boolean {
  return error instanceof StatusError && error.status === 'UNAUTHENTICATED' && error.detail.field === FIELD
}

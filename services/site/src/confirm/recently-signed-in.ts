import { needsRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { safeReturnTo } from '../http/return-to.ts'
import type { VisitHandler } from '../http/visit.ts'
import { CONFIRMATION_SECONDS, writeConfirmation } from './confirmation-cookie.ts'

/**
 * For what needs a recent sign-in. The services decide; whoever they refuse confirms that it is them, comes back to the same path, and
 * finds what they had typed.
 * @param keep the fields of the form that are worth keeping
 */
export function recentlySignedIn(handler: VisitHandler, keep: readonly string[] = []): VisitHandler {
  return async (visit) => {
    try {
      return await handler(visit)
    } catch (error) {
      if (!needsRecentSignIn(error)) throw error
      const fields = Object.fromEntries(keep.map((name) => [name, visit.field(name)]))
      const value = writeConfirmation({ returnTo: safeReturnTo(visit.path), fields, challenge: '' })
      return { redirectTo: '/confirm', cookies: [{ name: 'confirm', value, maxAgeSec: CONFIRMATION_SECONDS }] }
    }
  }
}

import { needsRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { CONFIRMATION_SECONDS, writeConfirmation } from './confirmation.ts'
import { safeReturnTo } from './return-to.ts'
import type { VisitHandler } from './visit.ts'

/**
 * Wraps a handler that needs a recent sign-in. When a service refuses, the person confirms their identity and returns to
 * the same page with the form filled in.
 * @param fieldNames form fields to restore afterwards
 */
export function recentlySignedIn(handler: VisitHandler, fieldNames: readonly string[] = []): VisitHandler {
  return async (visit) => {
    try {
      return await handler(visit)
    } catch (error) {
      if (!needsRecentSignIn(error)) throw error
      const fields = Object.fromEntries(fieldNames.map((name) => [name, visit.field(name)]))
      const value = writeConfirmation({ returnTo: safeReturnTo(visit.path), fields, challenge: '' })
      return { redirectTo: '/confirm', cookies: [{ name: 'confirm', value, maxAgeSec: CONFIRMATION_SECONDS }] }
    }
  }
}

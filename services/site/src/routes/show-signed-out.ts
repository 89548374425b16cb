import type { VisitHandler } from '../http/visit.ts'
import { signedOutPage } from '../pages/signed-out.ts'

/** Says that the session is over. */
export function showSignedOut(): VisitHandler {
  return async () => ({ page: signedOutPage() })
}

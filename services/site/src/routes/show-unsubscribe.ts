import type { VisitHandler } from '../http/visit.ts'
import { unsubscribePage } from '../pages/unsubscribe.ts'

/** Asks whether mail about new messages shall end. Says the same for any link, so that it tells a stranger nothing. */
export function showUnsubscribe(): VisitHandler {
  return async (visit) => ({ page: unsubscribePage({ token: visit.param('token') }) })
}

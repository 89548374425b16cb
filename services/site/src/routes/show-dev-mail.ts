import { readOutbox } from '../dev-outbox.ts'
import type { VisitHandler } from '../http/visit.ts'
import { devMailPage } from '../pages/dev-mail.ts'

/** Shows what is in the outbox folder. Mounted only where there is one: on somebody's own machine. */
export function showDevMail(outboxDir: string): VisitHandler {
  return async ({ clock }) => ({ page: devMailPage(await readOutbox(outboxDir), clock) })
}
